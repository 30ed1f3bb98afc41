"""`sightline jobs`: background work that waits, runs or has failed."""

from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.platform.jobs.overview import QueuedJob, State

app = typer.Typer(help="Background work.", no_args_is_help=True, rich_markup_mode=None)

JobId = Annotated[int, typer.Argument(metavar="ID", help="The job's number, as `jobs list` shows it.")]


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="jobs")


def read_state(text: str) -> "State":
    from typing import get_args

    from sightline.platform.jobs.overview import State

    found: State | None = next((state for state in get_args(State) if state == text), None)
    if found is None:
        raise typer.BadParameter("expected waiting, running or failed")
    return found


@app.command("list", cls=Command)
def list_(
    state: Annotated[
        str | None, typer.Option("--state", parser=read_state, metavar="STATE", help="waiting, running or failed.")
    ] = None,
    workspace: Annotated[str | None, typer.Option("--workspace", help="The workspace's slug.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Lists what runs, waits and has failed, at most 1,000 jobs; what is done is not kept."""
    from sightline.cli.data import read_settings, with_database

    async def work(db: "Database") -> "list[QueuedJob]":
        return await _list(db, state, workspace)  # type: ignore[arg-type]  # read_state made it one

    _print_jobs(with_database(read_settings(data_dir, database_url), work), as_json)


async def _list(db: "Database", state: "State | None", slug: str | None) -> "list[QueuedJob]":
    from sightline.platform.jobs.overview import list_jobs
    from sightline.workspaces.tenants import find_workspace

    async with db.read() as tx:
        found = await find_workspace(tx, slug) if slug else None
        return await list_jobs(tx, state=state, workspace_id=found.id if found else None)


@app.command("retry", cls=Command)
def retry(job: JobId, as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Lets a failed job begin anew, with all its attempts."""
    from sightline.cli.data import read_settings, with_database
    from sightline.platform.jobs.overview import retry_failed_job

    async def work(db: "Database") -> "QueuedJob":
        async with db.write() as tx:
            return await retry_failed_job(tx, job)

    _print_jobs([with_database(read_settings(data_dir, database_url), work)], as_json)


@app.command("stop", cls=Command)
def stop(job: JobId, as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Ends a job within seconds, without further attempts; what it was for then counts as failed."""
    from sightline.cli.data import operator, read_settings, with_database
    from sightline.platform.jobs.overview import stop_job

    async def work(db: "Database") -> "QueuedJob":
        async with db.write() as tx:
            return await stop_job(tx, job, operator().id)

    _print_jobs([with_database(read_settings(data_dir, database_url), work)], as_json)


def _print_jobs(jobs: "list[QueuedJob]", as_json: bool) -> None:
    from sightline.cli.output import print_columns, print_json

    if as_json:
        print_json(jobs)
        return
    heads = ("ID", "KIND", "STATE", "WORKSPACE", "RECORD", "ATTEMPTS", "RUN AFTER", "SINCE", "ERROR")
    rows = (
        (
            *(job.id, job.kind, "stopping" if job.is_stopping else job.state, job.workspace, job.record_id),
            *(job.attempts, job.run_after, job.since, job.error),
        )
        for job in jobs
    )
    print_columns(heads, rows)
