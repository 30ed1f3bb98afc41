"""The sample workspace keeps to the contract of workspace files."""

import re
from collections import Counter

import pytest

from sightline.sample.workspace import load
from tests.sample.contract import FIELDS, REFERENCES, SPARE, VALUES
from tests.sample.reading import Record, strings, values, wordings

MOMENT = re.compile(r"2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

LENGTHS = {
    "members": 9,
    "products": 2,
    "products.features": 20,
    "teams": 6,
    "ideaStatuses": 7,
    "accounts": 15,
    "opportunities": 9,
    "integrations": 2,
    "sprints": 3,
    "signals": 62,
    "insights": 54,
    "ideas": 43,
    "initiatives": 10,
    "studies": 4,
    "feedback": 40,
    "research": 1,
}


@pytest.fixture(scope="module")
def workspace() -> Record:
    return load()


def feature_owners(workspace: Record) -> dict[str, str]:
    owners: dict[str, str] = {}
    for product in workspace["products"]:
        owners |= dict.fromkeys((feature["key"] for feature in product["features"]), product["key"])
    return owners


@pytest.mark.parametrize("path", LENGTHS)
def test_the_lists_have_the_promised_length(workspace: Record, path: str) -> None:
    assert len(values(workspace, path)) == LENGTHS[path]


@pytest.mark.parametrize("path", FIELDS)
def test_records_have_only_fields_of_the_contract(workspace: Record, path: str) -> None:
    allowed = SPARE | set(FIELDS[path].split())
    unknown = {name for record in values(workspace, path) for name in record} - allowed
    assert not unknown, f"{path} has fields that a workspace file does not know: {unknown}"


@pytest.mark.parametrize("path", VALUES)
def test_values_are_within_their_sets(workspace: Record, path: str) -> None:
    strange = set(values(workspace, path)) - set(VALUES[path].split())
    assert not strange, f"{path} has values outside of its set: {strange}"


@pytest.mark.parametrize("path", REFERENCES)
def test_every_reference_resolves(workspace: Record, path: str) -> None:
    known = {record["key"] for record in values(workspace, REFERENCES[path])}
    dangling = set(values(workspace, path)) - known
    assert not dangling, f"{path} names records that are not in {REFERENCES[path]}: {dangling}"


@pytest.mark.parametrize("path", [*(path for path in FIELDS if path != "ideaStatuses"), "portal.users"])
def test_no_key_is_used_twice(workspace: Record, path: str) -> None:
    keys = Counter(record["key"] for record in values(workspace, path) if "key" in record)
    assert [key for key, times in keys.items() if times > 1] == []


def test_identities_name_one_idea_each(workspace: Record) -> None:
    for part in ("integration", "sourceKey"):
        pairs = [(one[part], one["externalId"]) for one in workspace["ideas"] if one.get(part)]
        assert len(pairs) == len(set(pairs)) > 0


def test_subjects_of_feedback_resolve(workspace: Record) -> None:
    known = {kind: {one["key"] for one in workspace[f"{kind}s"]} for kind in ("idea", "initiative")}
    for subject in values(workspace, "feedback.subject"):
        assert subject["id"] in known[subject["type"]]
    assert all(0 <= rating <= 10 for rating in values(workspace, "feedback.rating"))


def test_extracts_are_exact_words_of_their_signal(workspace: Record) -> None:
    signals = {signal["key"]: wordings(signal) for signal in workspace["signals"]}
    extracts = values(workspace, "insights.extracts") + values(workspace, "ideas.evidence.extracts")
    assert len(extracts) > 100
    for extract in extracts:
        assert any(extract["text"] in text for text in signals[extract["signal"]]), extract


def test_an_insight_names_the_signals_it_quotes(workspace: Record) -> None:
    for insight in workspace["insights"]:
        quoted = {extract["signal"] for extract in insight["extracts"]}
        assert quoted <= set(insight["signals"]), insight["key"]


@pytest.mark.parametrize("kind", ["ideas", "initiatives"])
def test_features_belong_to_the_product_of_their_record(workspace: Record, kind: str) -> None:
    owners = feature_owners(workspace)
    for record in workspace[kind]:
        assert {owners[feature] for feature in record["features"]} <= {record["product"]}, record["key"]


def test_a_feature_sits_under_one_of_its_own_product(workspace: Record) -> None:
    for product in workspace["products"]:
        own = {feature["key"] for feature in product["features"]}
        parents = {feature["parent"] for feature in product["features"]} - {None}
        assert parents
        assert parents <= own


def test_an_idea_fits_its_initiative(workspace: Record) -> None:
    products = {one["key"]: one["product"] for one in workspace["initiatives"]}
    for idea in workspace["ideas"]:
        product = products.get(idea.get("initiative"))
        assert product in {None, idea["product"]}, idea["key"]


def test_statuses_are_labels_of_the_workflow(workspace: Record) -> None:
    labels = values(workspace, "ideaStatuses.label")
    assert labels[0] == "New"
    assert values(workspace, "ideaStatuses.promotion") == [True]
    assert set(values(workspace, "ideas.status")) == set(labels)


def test_classifications_fit_the_taxonomy(workspace: Record) -> None:
    groups = {group["key"]: group for group in workspace["taxonomy"]["groups"]}
    for value in values(workspace, "ideas.classifications"):
        group = groups[value["groupKey"]]
        if group["kind"] == "text":
            assert value["textValue"]
            continue
        chosen = value["optionValues"]
        assert set(chosen) <= {option["key"] for option in group["options"]}
        assert len(chosen) == 1 or group["selectionMode"] == "multi"


def test_every_idea_answers_the_required_groups(workspace: Record) -> None:
    required = {group["key"] for group in workspace["taxonomy"]["groups"] if group["required"]}
    for idea in workspace["ideas"]:
        assert required <= {value["groupKey"] for value in idea["classifications"]}, idea["key"]


def test_only_answered_questions_have_an_answer(workspace: Record) -> None:
    for question in values(workspace, "ideas.questions"):
        assert (question["status"] == "answered") == bool(question["answer"]), question["key"]


def test_the_ideas_show_every_state_there_is(workspace: Record) -> None:
    for path in ("ideas.questions.status", "ideas.evidence.role", "ideas.comments.visibility"):
        assert set(values(workspace, path)) == set(VALUES[path].split())
    evidence = values(workspace, "ideas.evidence")
    assert {"resolvedAt", "dismissedAt"} <= {name for record in evidence for name in record}
    assert set(values(workspace, "members.role")) == set(VALUES["members.role"].split())
    assert values(workspace, "members.active").count(False) == 1


def test_votes_are_for_ideas_that_the_portal_shows(workspace: Record) -> None:
    visible = {idea["key"] for idea in workspace["ideas"] if idea["portalVisible"]}
    votes = [(vote["idea"], vote["user"]) for vote in workspace["portal"]["votes"]]
    assert {idea for idea, _ in votes} <= visible
    assert len(votes) == len(set(votes))
    assert set(workspace["portal"]["facets"]) <= set(values(workspace, "taxonomy.groups.key"))


def test_the_portal_shows_different_ideas_with_votes_as_people_give_them(workspace: Record) -> None:
    shown = [idea for idea in workspace["ideas"] if idea["portalVisible"]]
    assert len({idea["name"] for idea in shown}) == len(shown) == 38
    words = [frozenset(re.findall(r"\w{4,}", idea["name"].lower())) for idea in shown]
    for place, one in enumerate(words):
        assert all(len(one & other) <= len(one | other) / 2 for other in words[:place]), shown[place]["name"]
    votes = sorted((idea["importedVoteCount"] for idea in shown), reverse=True)
    assert votes[0] > 100
    assert votes[30] < 20, "most have few"
    assert len(set(votes)) > 30


def test_what_the_portal_shows_names_no_customer(workspace: Record) -> None:
    names = values(workspace, "accounts.name")
    for idea in workspace["ideas"]:
        shown = [idea["name"], idea["description"]]
        shown += [one["body"] for one in idea.get("comments", []) if one["visibility"] == "portal"]
        assert not [name for name in names if any(name in text for text in shown)], idea["key"]


@pytest.mark.parametrize("kind", ["ideas", "insights", "signals", "initiatives", "feedback"])
def test_times_are_iso_strings_of_the_year(workspace: Record, kind: str) -> None:
    for record in workspace[kind]:
        times = [record["createdAt"], record["updatedAt"]]
        assert all(MOMENT.fullmatch(time) for time in times), record["key"]
        assert times == sorted(times), record["key"]


def test_hosts_lead_nowhere(workspace: Record) -> None:
    texts = list(strings(workspace))
    hosts = {host for text in texts for host in re.findall(r"(?:https?://|@)([\w.-]+)", text)}
    hosts |= set(values(workspace, "accounts.domain"))
    assert hosts
    assert [host for host in hosts if not host.endswith((".test", ".example"))] == []


@pytest.mark.parametrize("kind", ["ideas", "insights"])
def test_no_two_descriptions_are_equal(workspace: Record, kind: str) -> None:
    descriptions = [record["description"] for record in workspace[kind]]
    assert len(descriptions) == len(set(descriptions))


def test_ideas_are_matched_with_quotes_of_their_own_words(workspace: Record) -> None:
    statuses = Counter(idea["featureMatching"]["status"] for idea in workspace["ideas"])
    assert {"matched", "needs_review", "no_match", "manual"} == set(statuses)
    assert statuses["matched"] > 0.8 * len(workspace["ideas"])
    for idea in workspace["ideas"]:
        matching = idea["featureMatching"]
        assert (matching["productId"], matching["matchedAt"]) == (idea["product"], idea["createdAt"])
        for match in matching["matches"] + matching["suggestions"]:
            assert match["sourceQuote"] in idea["description"]
        if idea["featureOwnership"] == "automatic":
            assert [match["featureId"] for match in matching["matches"]] == idea["features"]
