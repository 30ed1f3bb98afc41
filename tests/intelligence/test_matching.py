"""Which features an idea is matched with, and which are only suggested."""

from uuid import NAMESPACE_DNS, UUID, uuid5

import pytest

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.engine import FeatureText, Matching

FEATURES = {
    "Dark mode": "A dark theme for the web and mobile app that follows the system setting.",
    "CSV export": "Download any table or report as a CSV file.",
    "Single sign-on (SSO)": "Sign in with the company's identity provider over SAML or OpenID Connect.",
    "Webhooks": "Send events to the customer's own endpoint when a record changes.",
    "Search": "Find records by keyword, with filters for owner, status and date.",
    "Saved views": "Keep a filter and column layout of a list under a name and share it with the team.",
    "Dashboard widgets": "Charts and counters that can be arranged on the dashboard.",
    "Email notifications": "Messages about mentions, assignments and due dates, with a daily digest.",
    "Roles and permissions": "Decide who may see, edit and delete records in a workspace.",
    "Audit log": "A list of who changed what and when, kept for a year.",
    "Bulk edit": "Change a field of many records at once.",
    "Kanban board": "Move cards between columns to change their status.",
    "Two-factor authentication": "A second step at sign-in with an authenticator app or a security key.",
    "Time tracking": "Log hours on tasks and see them on timesheets.",
    "Export": "Get data out as CSV, Excel or PDF.",
    "Invoices": "Create, send and track invoices and their payment.",
    "Mobile app": "Native apps for iOS and Android with offline use.",
    "API keys": "Create and revoke keys for the public API.",
}


GOLDEN = [
    ("A dark mode, please.", "One sentence has all words of the feature's name: dark, mode.", 0.99),
    ("Exporting to CSV takes forever.", "One sentence has all words of the feature's name: exporting, csv.", 0.98),
    ("I search all day.", "One sentence has all words of the feature's name: search.", 0.82),
]


def id_of(name: str) -> UUID:
    return uuid5(NAMESPACE_DNS, name)


def read(engine: EmbeddedEngine, features: dict[str, str]) -> EmbeddedFeatureMap:
    return engine.read_features([FeatureText(id_of(name), name, text) for name, text in features.items()])


def match(text: str, features: dict[str, str] = FEATURES) -> Matching:
    engine = embedded_engine()
    return engine.match_features(text, read(engine, features))


@pytest.mark.parametrize(
    ("idea", "feature"),
    [
        ("Our users work at night and keep asking for a dark mode that follows their phone.", "Dark mode"),
        ("The darkmode colours have too little contrast.", "Dark mode"),
        ("Login via SSO breaks for people whose e-mail address changed.", "Single sign-on (SSO)"),
        ("We need single sign-on with Okta.", "Single sign-on (SSO)"),
        ("Web hooks should be retried when our server is down.", "Webhooks"),
        ("Search is slow: finding a record by keyword takes ten seconds.", "Search"),
        ("Allow to export charts to PDF.", "Export"),
        ("No more e-mail notifications for my own changes, please.", "Email notifications"),
        ("Permissions per role are too coarse: interns can delete records.", "Roles and permissions"),
        ("Invoice PDFs should show the purchase order number.", "Invoices"),
        ("Rotating API keys without downtime.", "API keys"),
        ("Customers want to share a saved view with their team.", "Saved views"),
        ("I track my time on each task.", "Time tracking"),
        ("Notify me by mail when an e-mail address bounces.", "Email notifications"),
        ("It should be possible to authenticate with two factors.", "Two-factor authentication"),
    ],
)
def test_a_feature_named_in_its_own_wording_is_matched(idea: str, feature: str) -> None:
    found = match(idea)
    assert found.status == "matched"
    assert [one.feature_id for one in found.matches] == [id_of(feature)]


@pytest.mark.parametrize(
    ("idea", "feature"),
    [
        ("I want to edit my 40 deals one by one no longer, give me something in bulk.", "Bulk edit"),
        ("Instead of the kanban board I would like a plain list.", "Kanban board"),
        ("The board is slow.", "Kanban board"),
        ("The app crashes on Android when I am offline on a train.", "Mobile app"),
        ("I had to search for my shoes this morning.", "Search"),
        ("We don't want to use dark mode at noon.", "Dark mode"),
    ],
)
def test_an_uncertain_feature_is_only_suggested(idea: str, feature: str) -> None:
    found = match(idea)
    assert (found.status, found.matches) == ("needs_review", [])
    assert id_of(feature) in [one.feature_id for one in found.suggestions]


def test_a_denial_ends_where_another_clause_starts() -> None:
    found = match("We do not need dark mode but webhooks would help.")
    assert [one.feature_id for one in found.matches] == [id_of("Webhooks")]
    assert found.suggestions == []


@pytest.mark.parametrize(
    "idea",
    [
        "We do not need dark mode, but bigger fonts would help.",
        "This is unrelated to the audit log.",
        "Please add a Gantt chart.",
        "Show the weather on the home page.",
        "We would like to have it and to be able to do more with this than now.",
        "New users need a better page, simple and quick, for all of their people.",
        "?!",
        "",
    ],
)
def test_noise_denials_and_generic_words_match_nothing(idea: str) -> None:
    assert match(idea) == Matching("no_match", [], [])


def test_a_denial_ends_with_its_clause() -> None:
    found = match("We do not need dark mode, but the audit log must be exportable.")
    assert [one.feature_id for one in found.matches] == [id_of("Audit log")]


def test_what_is_asked_for_and_compared_with_in_one_sentence_is_asked_for() -> None:
    found = match("We want a dark mode for the phone instead of a dark mode for the web.")
    assert [one.feature_id for one in found.matches] == [id_of("Dark mode")]


def test_the_same_text_and_features_give_the_same_result_always() -> None:
    features = {name: FEATURES[name] for name in ("Dark mode", "CSV export", "Search")}
    text = "A dark mode, please. Exporting to CSV takes forever. I search all day."
    found = match(text, features)
    kept = [(one.source_quote, one.reasoning, one.confidence) for one in found.matches + found.suggestions]
    assert kept == GOLDEN
    assert len(found.matches) == 2


def test_an_empty_map_says_so() -> None:
    assert match("Dark mode, please.", {}) == Matching("no_features", [], [])


def test_the_quote_is_the_one_sentence_that_has_the_wording() -> None:
    text = "Hello!\n- We love it.\n- A *dark mode* would help at night 🌙 , really.\nThank you."
    (found,) = match(text).matches
    assert found.source_quote == "A *dark mode* would help at night 🌙 , really."


def test_a_name_spread_over_two_sentences_is_not_matched() -> None:
    assert match("It is dark here. The mode of transport is a bus.").matches == []


def test_the_reasoning_names_the_words_that_were_found() -> None:
    (found,) = match("Please export charts to PDF or Excel.").matches
    assert found.reasoning == (
        "One sentence has all words of the feature's name: export; of its description: pdf, excel."
    )


def test_words_of_a_feature_count_together_wherever_they_stand_in_the_text() -> None:
    features = {
        "Device fleet": "Overview of all handhelds with charge, firmware and location.",
        "Door display": "What the steward sees after a scan: validity, seat and notes.",
        "Reports": "Statistics of sales and visits.",
    }
    text = "The device is often empty. Its charge is unknown. Nobody knows firmware and location. The door is far."
    (found,) = match(text, features).matches
    assert (found.feature_id, found.source_quote) == (id_of("Device fleet"), "Nobody knows firmware and location.")
    assert found.reasoning == (
        "The text has words of the feature's name: device; of its description: charge, firmware, location."
    )


def test_the_strongest_feature_of_a_text_makes_the_others_less_likely() -> None:
    features = {"Time tracking": "Log hours on tasks.", "Task board": "Columns and cards."}
    weak = "The cards are hard to read."
    strong = f"{weak} Time is lost when people log hours on tasks twice."
    assert [one.feature_id for one in match(strong, features).matches] == [id_of("Time tracking")]
    assert id_of("Task board") not in [one.feature_id for one in match(strong, features).suggestions]


def test_a_feature_is_found_among_thousands_that_share_its_words() -> None:
    features = {f"Board {number} export": "Sends boards as files." for number in range(3_000)}
    found = match("The board 77 export fails. Boards sent as files are empty.", features)
    assert [one.feature_id for one in found.matches] == [id_of("Board 77 export")]
    assert len(found.suggestions) <= 8


def test_a_word_that_most_features_have_makes_no_match() -> None:
    features = {f"{name} report": "" for name in ("Sales", "Churn", "Usage", "Payroll")} | {"Report": ""}
    assert match("The report is late.", features).matches == []
    assert [one.feature_id for one in match("The churn report is late.", features).matches] == [id_of("Churn report")]


def test_words_of_a_name_that_are_far_apart_are_only_suggested() -> None:
    features = {"Bulk edit": "", "Search": ""}
    assert match("In bulk I edit.", features).status == "matched"
    assert match("In bulk, as it is done in all the other tools at work, I edit.", features).status == "needs_review"


def test_two_features_in_one_sentence_are_both_matched() -> None:
    found = match("It belongs with the audit log and the dark mode.")
    assert {one.feature_id for one in found.matches} == {id_of("Audit log"), id_of("Dark mode")}


def test_a_related_word_stands_for_the_word_of_a_name() -> None:
    features = {"Document scanner": "", "Push notifications": ""}
    assert [one.feature_id for one in match("Documents that it scanned are blurry.", features).matches] == [
        id_of("Document scanner")
    ]
    assert [one.feature_id for one in match("It never notifies me.", features).suggestions] == [
        id_of("Push notifications")
    ]


def test_of_a_longer_and_a_shorter_name_the_longer_is_meant() -> None:
    features = {"Exchange rate": "", "Exchange rate alerts": "", "Cards": ""}
    found = match("I want exchange rate alerts by mail.", features)
    assert [one.feature_id for one in found.matches] == [id_of("Exchange rate alerts")]
    assert id_of("Exchange rate") not in [one.feature_id for one in found.matches]


def test_names_that_differ_in_a_small_word_are_distinguished_and_left_to_a_person() -> None:
    features = {"Check in": "", "Check out": "", "Spa": ""}
    found = match("Guests want to check out at eleven.", features)
    assert (found.matches, [one.feature_id for one in found.suggestions]) == ([], [id_of("Check out")])


def test_a_name_is_less_certain_among_names_that_share_its_words() -> None:
    text = "The card limit is too low."
    concrete = {"Card limit": "", "Dark mode": "", "Webhooks": "", "Budgets": ""}
    crowded = {"Card limit": "", "Card limit increase": "", "Card order": "", "Transfer limit": ""}
    assert [one.feature_id for one in match(text, concrete).matches] == [id_of("Card limit")]
    assert match(text, crowded).matches == []
    assert match(text, crowded).suggestions[0].feature_id == id_of("Card limit")


def test_two_features_of_one_name_are_left_to_a_person() -> None:
    engine = embedded_engine()
    features = engine.read_features([FeatureText(id_of(one), "Dark mode", "") for one in ("web", "phone")])
    found = engine.match_features("A dark mode, please.", features)
    assert (found.status, [one.feature_id for one in found.suggestions]) == (
        "needs_review",
        [id_of("web"), id_of("phone")],
    )


def test_a_word_of_many_meanings_needs_company_or_is_written_as_a_name() -> None:
    assert match("I had to search for my shoes this morning.").matches == []
    assert match("Our goods are exported to Canada and the customs form is a pain.").matches == []
    assert len(match("The Search never finds my shoes.").matches) == 1


@pytest.mark.parametrize(
    ("name", "idea"),
    [("导出报表", "请支持导出报表到表格。谢谢"), ("Rapports planifiés", "Envoyer des rapports planifiés chaque lundi."),
     ("Тёмная тема", "Нужна тёмная тема для ночной работы."), ("الوضع الداكن", "نريد الوضع الداكن في التطبيق؟")],
)  # fmt: skip
def test_other_scripts_are_matched_by_their_words(name: str, idea: str) -> None:
    assert [one.feature_id for one in match(idea, {name: "", "Search": ""}).matches] == [id_of(name)]


def test_at_most_eight_are_matched_the_surest_first_then_in_the_order_of_the_features() -> None:
    letters = ["alpha", "bravo", "charlie", "delta", "echoes", "foxtrot", "golfer", "hotels", "indigo", "juliet"]
    features = {f"{letter} gadget{number}": "" for number, letter in enumerate(letters)}
    text = "\n".join(f"We sell {name} now" for name in reversed(features))
    assert [one.feature_id for one in match(text, features).matches] == [id_of(name) for name in list(features)[:8]]


def test_only_the_first_forty_thousand_characters_are_read() -> None:
    assert match("Dark mode, please. " + "word " * 10_000).status == "matched"
    assert match("word " * 10_000 + "Dark mode, please.").status == "no_match"


def test_a_map_knows_about_how_large_it_is() -> None:
    engine = embedded_engine()
    assert 20_000 < read(engine, FEATURES).size < 60_000
    assert read(engine, {}).size < 1_000
