"""What every operation with a body or a page refuses, and what it still takes: read from its types."""

import json
from typing import Any, get_origin
from uuid import uuid4

import msgspec

from sightline.platform.http.operations import Operation
from sightline.platform.http.query_strings import type_of_parameter
from sightline.platform.lists.paging import LARGEST_OFFSET
from tests.generated.made import LISTS, OPERATIONS, WITH_BODY, Made, code_of, each, nowhere
from tests.generated.shapes import ID, Trial, faults_of_struct, trials_of


def trials(operation: Operation) -> list[Trial]:
    assert operation.body_type is not None
    return trials_of(operation.body_type)


def test_the_types_are_walked_down_to_their_bounds() -> None:
    """Each sort of wrong value is tried somewhere: were a new sort of type not known here, this would tell."""
    said = {trial.said for operation in WITH_BODY for trial in trials(operation)}
    assert said >= {"at the bound", "past the bound", "blank", "NUL", "a wrong type", "null", "no choice", "no id"}


async def faults(made: Made, operation: Operation, body: Any) -> dict[str, str]:
    """What was wrong with the body, by path; the record it is sent to is nowhere, so nothing changes."""
    answer = await made.world.client.request(operation.method, nowhere(operation), json=body)
    assert answer.status_code < 500, answer.text
    if code_of(answer) == (400, "VALIDATION_FAILED"):
        return {fault["path"]: fault["message"] for fault in answer.json()["errors"]}
    return {}


@each(WITH_BODY)
async def test_values_are_accepted_up_to_their_bounds_and_refused_beyond(made: Made, operation: Operation) -> None:
    """Where a value fits, it may still name nothing: but that is said in other words."""
    refusals: set[tuple[str, str]] = set()
    for trial in sorted(trials(operation), key=lambda trial: trial.fits):
        found = await faults(made, operation, {**operation.example, **trial.body})
        if trial.fits:
            assert (trial.path, found.get(trial.path)) not in refusals, f"{trial.path} {trial.said}"
        else:
            assert trial.path in found, f"{trial.path} {trial.said}"
            refusals.add((trial.path, found[trial.path]))


@each(WITH_BODY)
async def test_all_faults_of_a_body_are_listed_at_once(made: Made, operation: Operation) -> None:
    outermost = [trial for trial in trials(operation) if not {".", "["} & set(trial.path)]
    wrong = {trial.path: trial.body for trial in outermost if trial.said == "a wrong type"}
    parts = {name: value for part in wrong.values() for name, value in part.items()}
    body = {**operation.example, **parts, "nonsense": 1}
    assert sorted(await faults(made, operation, body)) == sorted([*wrong, "nonsense"])


@each(WITH_BODY)
async def test_unknown_fields_are_refused_at_every_depth(made: Made, operation: Operation) -> None:
    assert operation.body_type is not None
    for path, body in faults_of_struct(operation.body_type):
        assert path in await faults(made, operation, {**operation.example, **body})


@each(WITH_BODY)
async def test_a_missing_required_field_is_named(made: Made, operation: Operation) -> None:
    assert operation.body_type is not None
    required = [field.encode_name for field in msgspec.structs.fields(operation.body_type) if field.required]
    for name in required:
        body = {key: value for key, value in operation.example.items() if key != name}
        assert name in await faults(made, operation, body)


@each(WITH_BODY)
async def test_a_body_is_a_json_object(made: Made, operation: Operation) -> None:
    malformed = [b"", b" ", b"{", b"nonsense", b'{"a":1,}', b"\xff", b'{"a":"\xff"}', b'"\\ud800"', b"{}{}", b"NaN"]
    for content in malformed:
        answer = await made.world.client.request(operation.method, nowhere(operation), content=content)
        assert code_of(answer) == (400, "MALFORMED_JSON"), content
    for value in ([], [operation.example], "text", 7, None, True):
        answer = await made.world.client.request(operation.method, nowhere(operation), content=json.dumps(value))
        assert code_of(answer) == (400, "VALIDATION_FAILED"), value


@each(WITH_BODY)
async def test_a_body_is_declared_as_json_or_not_at_all(made: Made, operation: Operation) -> None:
    content = json.dumps({"nonsense": 1})
    for declared in (None, "application/json", "APPLICATION/JSON; charset=utf-8", 'application/json;charset="utf-8"'):
        headers = {"Content-Type": declared} if declared else {}
        answer = await made.world.client.request(operation.method, nowhere(operation), content=content, headers=headers)
        assert code_of(answer) == (400, "VALIDATION_FAILED"), declared
    for declared in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "application/jsonp"):
        headers = {"Content-Type": declared}
        answer = await made.world.client.request(operation.method, nowhere(operation), content=content, headers=headers)
        assert code_of(answer) == (415, "UNSUPPORTED_MEDIA_TYPE"), declared


@each(WITH_BODY)
async def test_a_body_that_is_too_large_is_refused(made: Made, operation: Operation) -> None:
    ask, path = made.world.client.request, nowhere(operation)
    fitting = b"{}".ljust(operation.body_limit)
    assert code_of(await ask(operation.method, path, content=fitting))[0] != 413
    answer = await ask(operation.method, path, content=fitting + b" ")
    assert (code_of(answer), answer.json()["limit"]) == ((413, "BODY_TOO_LARGE"), operation.body_limit)


@each([operation for operation in OPERATIONS if operation.body_type is None])
async def test_without_a_body_type_body_and_content_type_are_ignored(made: Made, operation: Operation) -> None:
    headers = {"Content-Type": "text/plain"}
    answer = await made.world.client.request(operation.method, nowhere(operation), content=b"\xff{", headers=headers)
    assert code_of(answer) == (404, "NOT_FOUND") or answer.status_code == operation.status


@each([operation for operation in OPERATIONS if operation.path_types])
async def test_malformed_references_are_refused_before_the_body(made: Made, operation: Operation) -> None:
    for name, kind in operation.path_types.items():
        path = operation.path.replace(f"{{{name}}}", "no-reference-at-all")
        body = {"nonsense": 1} if operation.body_type else None
        answer = await made.world.client.request(operation.method, path.format_map(_Example()), json=body)
        expected = (404, "NOT_FOUND") if kind.__name__ == "HiddenId" else (400, "INVALID_REFERENCE")
        assert code_of(answer) == expected, path


class _Example(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11"


@each(LISTS)
async def test_pages_keep_their_bounds(made: Made, operation: Operation) -> None:
    paging, path = operation.paging, made.path(operation)
    assert paging is not None
    client = made.world.client
    answer = await client.get(path)
    assert (answer.status_code, answer.headers["x-limit"], answer.headers["x-offset"]) == (
        200,
        str(paging.default),
        "0",
    )
    for limit in (1, paging.most):
        assert (await client.get(path, params={"limit": limit})).headers["x-limit"] == str(limit)
    longer = await client.get(path, params={"limit": paging.most + 1})
    if paging.clamp:
        assert (longer.status_code, longer.headers["x-limit"]) == (200, str(paging.most))
    else:
        assert code_of(longer) == (400, "VALIDATION_FAILED")
    for wrong in ("0", "-1", "x", "", "1.0", "1_0"):
        assert code_of(await client.get(path, params={"limit": wrong})) == (400, "VALIDATION_FAILED"), wrong
    assert (await client.get(path, params={"offset": LARGEST_OFFSET})).status_code == 200
    for offset in (str(LARGEST_OFFSET + 1), "-1", "x", ""):
        assert code_of(await client.get(path, params={"offset": offset})) == (400, "VALIDATION_FAILED"), offset


@each([operation for operation in OPERATIONS if operation.query_type])
async def test_parameters_refuse_nul(made: Made, operation: Operation) -> None:
    path = made.path(operation)
    assert operation.query_type is not None
    for field in msgspec.structs.fields(operation.query_type):
        answer = await made.world.client.request(operation.method, f"{path}?{field.encode_name}=%00")
        assert code_of(answer) == (400, "VALIDATION_FAILED"), field.encode_name
        assert answer.json()["field"] == field.encode_name


@each(OPERATIONS)
async def test_an_unknown_parameter_is_refused_by_name(made: Made, operation: Operation) -> None:
    path = f"{nowhere(operation)}?nonsense=1"
    answer = await made.world.client.request(operation.method, path, json=operation.example)
    assert (code_of(answer), answer.json()["field"]) == ((400, "VALIDATION_FAILED"), "nonsense")


@each([operation for operation in OPERATIONS if operation.query_type])
async def test_texts_and_lists_in_the_query_have_bounds(made: Made, operation: Operation) -> None:
    assert operation.query_type is not None
    for field in msgspec.structs.fields(operation.query_type):
        answer = await made.world.client.get(made.path(operation), params={field.encode_name: "x" * 1001})
        assert (code_of(answer), answer.json()["field"]) == ((400, "VALIDATION_FAILED"), field.encode_name)
        if get_origin(type_of_parameter(field.type)) is tuple:
            items = ",".join([ID] * 201)
            answer = await made.world.client.get(made.path(operation), params={field.encode_name: items})
            assert (code_of(answer), answer.json()["field"]) == ((400, "VALIDATION_FAILED"), field.encode_name)


FOLLOWED = [
    operation
    for operation in LISTS
    if operation.query_type and "updated_since" in operation.query_type.__struct_fields__
]


@each(FOLLOWED)
async def test_a_bound_finer_than_a_millisecond_compares_as_sent(made: Made, operation: Operation) -> None:
    path = made.path(operation)
    latest = max(record["updatedAt"] for record in (await made.world.client.get(path)).json())
    for digits, is_found in (("", True), ("000000", True), ("5", False), ("000001", False)):
        since = f"{latest.removesuffix('Z')}{digits}Z"
        answer = await made.world.client.get(path, params={"updatedSince": since})
        assert bool(answer.json()) is is_found, since


def optional_fields(operation: Operation) -> list[str]:
    assert operation.body_type is not None
    return [field.encode_name for field in msgspec.structs.fields(operation.body_type) if not field.required]


@each([operation for operation in WITH_BODY if operation.method == "POST"])
async def test_null_counts_as_omitted_when_something_is_created(made: Made, operation: Operation) -> None:
    nulls = dict.fromkeys(optional_fields(operation))
    required = {name: value for name, value in operation.example.items() if name not in nulls}
    without = await faults(made, operation, required)
    assert await faults(made, operation, {**required, **nulls}) == without


# What null means on PATCH, where it is allowed.
NULLABLE = {
    "change_idea": {"productId", "projectId", "officialAnswer"},
    "set_idea_status": {"expectedCurrentStatus"},
    "change_initiative": {"productId", "startDate", "finishDate"},
}


@each([operation for operation in WITH_BODY if operation.name in NULLABLE])
async def test_null_is_refused_where_a_change_does_not_allow_it(made: Made, operation: Operation) -> None:
    for name in optional_fields(operation):
        found = await faults(made, operation, {**operation.example, name: None})
        assert (name in found) is (name not in NULLABLE[operation.name]), name


UNCHANGED = {"change_idea", "change_signal"}


@each([operation for operation in WITH_BODY if operation.method == "PATCH"])
async def test_an_empty_change_is_refused_except_for_ideas_and_signals(made: Made, operation: Operation) -> None:
    answer = await made.world.client.request(operation.method, made.path(operation), json={})
    expected = (200, None) if operation.name in UNCHANGED else (400, "VALIDATION_FAILED")
    assert code_of(answer) == expected


# Where a longer page is served shortened; everywhere else it is refused.
SHORTENED = {"list_ideas", "list_idea_questions", "list_signals"}


def test_lists_refuse_long_pages_unless_they_shorten_them() -> None:
    assert {operation.name for operation in LISTS if operation.paging and operation.paging.clamp} == SHORTENED
    bounds = {operation.name: operation.paging.most for operation in LISTS if operation.paging}
    assert {name for name, most in bounds.items() if most != 100} == {"list_idea_evidence"}
    assert {operation.paging.default for operation in LISTS if operation.paging} == {20}


@each(LISTS)
async def test_a_filter_by_a_foreign_id_gives_an_empty_page(made: Made, operation: Operation) -> None:
    fields = msgspec.structs.fields(operation.query_type) if operation.query_type else ()
    for name in (field.encode_name for field in fields if field.encode_name.endswith("Id")):
        if name == "externalId":
            continue
        answer = await made.world.client.get(made.path(operation), params={name: str(uuid4())})
        assert (answer.status_code, answer.json(), answer.headers["x-total-count"]) == (200, [], "0"), name


async def test_null_counts_as_omitted_in_a_classification_update(made: Made) -> None:
    path = f"/ideas/{made.ids['ideas']}/classifications"
    accept = {"groupKey": "theme", "action": "mark_unassigned", "optionIds": None, "textValue": None}
    answer = await made.world.client.patch(path, json={"updates": [accept]})
    assert answer.status_code == 200, answer.text
    choose = {"groupKey": "theme", "action": "set_option", "optionIds": None}
    answer = await made.world.client.patch(path, json={"updates": [choose]})
    assert (answer.status_code, answer.json()["field"]) == (400, "updates[0].optionIds")
