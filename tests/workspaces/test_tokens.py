"""What a key looks like, and that a mistyped one is seen to be wrong."""

import re
import string

from hypothesis import given
from hypothesis import strategies as st

from sightline.workspaces.keys.tokens import digest, make_token, parse_token

LETTERS = string.ascii_letters + string.digits


def test_a_key_is_letters_and_digits_in_three_parts() -> None:
    token = make_token()
    assert re.fullmatch(r"sl_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}", token.text)
    assert token.text.split("_")[1] == token.id


def test_all_keys_differ() -> None:
    made = [make_token() for _ in range(1000)]
    assert len({token.id for token in made}) == len({token.text for token in made}) == 1000


def test_a_key_is_read_back_and_its_secret_is_not_in_its_repr() -> None:
    token = make_token()
    assert parse_token(token.text) == token
    assert token.text[16:] not in repr(token)
    assert digest(token.text) == token.digest
    assert len(token.digest) == 32


@given(place=st.integers(0, 64), letter=st.sampled_from(LETTERS + "_- é"))
def test_one_wrong_character_is_refused(place: int, letter: str) -> None:
    text = make_token().text
    wrong = text[:place] + letter + text[place + 1 :]
    assert (parse_token(wrong) is None) == (wrong != text)


@given(place=st.integers(0, 63))
def test_two_swapped_characters_are_refused(place: int) -> None:
    text = make_token().text
    swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    assert (parse_token(swapped) is None) == (swapped != text)


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    assert parse_token(text) is None
    assert parse_token(make_token().text + text) is None or text == ""
