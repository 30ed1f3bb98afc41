"""Initiatives with their questions in the workspace file."""

from sightline.platform.file_section import Entry, Link, Run, Section, Table
from sightline.platform.file_section import fields as of

STATUSES = ("PENDING", "UNPLANNED", "PLANNED", "IN_PROGRESS", "COMPLETED", "ARCHIVED")
PRIORITIES = ("URGENT", "HIGH", "MEDIUM", "LOW")
LONGEST_DESCRIPTION = 60_000


async def _settle(run: Run, entries: list[Entry]) -> None:
    for entry in entries:
        start, finish = entry.row.get("start_date"), entry.row.get("finish_date")
        if start is not None and finish is not None and start > finish:
            run.refuse(entry, "finishDate", "Is before startDate")
    await _keep_features_of_product(run, entries)


_FOREIGN = """
SELECT DISTINCT l.initiative_id
  FROM unnest($2::uuid[], $3::uuid[]) AS wish (initiative_id, product_id)
 CROSS JOIN LATERAL (SELECT * FROM initiative_features l
                      WHERE l.workspace_id = $1 AND l.initiative_id = wish.initiative_id OFFSET 0) AS l
  JOIN features f ON f.workspace_id = l.workspace_id AND f.id = l.feature_id AND f.product_id <> wish.product_id"""


async def _keep_features_of_product(run: Run, entries: list[Entry]) -> None:
    """A changed product has to fit the features that stay."""
    moved = [
        entry
        for entry in entries
        if not entry.broken
        and not entry.is_new
        and entry.row["product_id"] not in (None, entry.stored["product_id"])
        and "features" not in entry.links
    ]
    if not moved:
        return
    wishes = [entry.id for entry in moved], [entry.row["product_id"] for entry in moved]
    foreign = {row[0] for row in await run.tx.rows(_FOREIGN, run.workspace_id, *wishes)}
    for entry in moved:
        if entry.id in foreign:
            run.refuse(entry, "product", "The initiative has features of another product; give its features too")


_RENAMED = "UPDATE initiatives SET version = version + 1 WHERE workspace_id = $1 AND team_ids && $2::uuid[]"


async def _end(run: Run) -> None:
    """An initiative shows the names of its teams: what was kept of it is stale when one is renamed."""
    if renamed := run.notes.get("renamed teams"):
        await run.tx.run(_RENAMED, run.workspace_id, renamed)


QUESTIONS = Table(
    "initiatives.questions",
    "initiative_questions",
    (of.full_text("question"), of.text("placeholder"), of.text("answer", nullable=True)),
    kind="initiative_question",
    parents=(("initiative_id", "id"),),
    position="position",
    order="position, id",
)


def section_with(documents: Table) -> Section:
    """The section of initiatives, whose records hold their documents, which a room above keeps."""
    initiatives = Table(
        "initiatives",
        "initiatives",
        (
            of.name(),
            of.text("description", longest=LONGEST_DESCRIPTION),
            of.choice("status", *STATUSES, default="PENDING"),
            of.choice("priority", *PRIORITIES, default="MEDIUM"),
            of.reference("product", "products"),
            of.day("startDate"),
            of.day("finishDate"),
            of.hexadecimal("requestHash"),
        ),
        kind="initiative",
        links=(
            Link(
                "features",
                "products.features",
                "initiative_features",
                "initiative_id",
                "feature_id",
                "feature_ids",
                scope="product_id",
            ),
            Link("teams", "teams", "initiative_teams", "initiative_id", "team_id", "team_ids"),
        ),
        children=(QUESTIONS, documents),
        versioned="version",
        traced=True,
        numbered="initiative",
        counted="initiative",
        order="number",
        settle=_settle,
    )
    return Section(tables=(initiatives,), end=_end)
