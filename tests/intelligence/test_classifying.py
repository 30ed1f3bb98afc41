"""The options of a taxonomy that a text names."""

from uuid import UUID

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import ListGroup, OptionText

suggest = embedded_engine().suggest_options


def group(*labels: str, takes_one: bool = False) -> ListGroup:
    """A group with these options; the id of an option is its place."""
    return ListGroup(UUID(int=99), takes_one, [OptionText(UUID(int=at), label) for at, label in enumerate(labels)])


def named(text: str, options: ListGroup) -> list[str]:
    labels = {option.id: option.label for option in options.options}
    return [labels[one.option_id] for one in suggest(text, [options])]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The speed of the list.", "Speed"),
        ("Mechanics lose the torque sheet.", "Mechanics"),
        ("Each mechanic has a list.", "Mechanics"),
        ("Show margins at the front desk.", "Front desk"),
        ("The desk at the front is full.", "Front desk"),
        ("Customers trust a photo.", "Trust and proof"),
        ("A proof of delivery.", "Trust / proof"),
        ("Parts are counted, extras are not.", "Parts and extras"),
        ("Data protection matters to hotels.", "Data protection"),
        ("Schneller Versand.", "Versand"),
    ],
)
def test_a_named_option_is_suggested(text: str, label: str) -> None:
    assert named(text, group(label, "Elephants")) == [label]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Customers report it.", "Reporting"),
        ("A front door, and then a row of a kind that is no desk.", "Front desk"),
        ("The desk is full. The front is empty.", "Front desk"),
        ("It is not about speed.", "Speed"),
        ("We do not need invoices in the app.", "Invoices"),
        ("Photos instead of invoices.", "Invoices"),
        ("A list without prices.", "Prices"),
        ("A large list.", "Large"),
        ("It took two weeks.", "Up to two weeks"),
        ("Other things.", "Other"),
        ("Support for teams.", "Support"),
        ("", "Speed"),
    ],
)
def test_what_a_text_does_not_name_is_not_suggested(text: str, label: str) -> None:
    assert named(text, group(label, "Elephants")) == []


def test_a_group_that_takes_one_gets_none_if_several_are_named() -> None:
    text = "Speed for mechanics."
    assert named(text, group("Speed", "Mechanics")) == ["Speed", "Mechanics"]
    assert named(text, group("Speed", "Mechanics", takes_one=True)) == []
    assert named(text, group("Speed", "Trust", takes_one=True)) == ["Speed"]


def test_at_most_five_options_of_a_group_in_their_order() -> None:
    labels = ["Tyres", "Brakes", "Chains", "Pedals", "Saddles", "Bells"]
    assert named("Bells, saddles, pedals, chains, brakes and tyres.", group(*labels)) == labels[:5]


def test_a_suggestion_quotes_the_sentence_and_says_why() -> None:
    [one] = suggest("Hello.\n- *Speed* first, please.", [group("Speed")])
    assert one.source_quote == "Speed* first, please."
    assert one.reasoning == "The sentence names “Speed”."
    assert one.group_id == UUID(int=99)
