"""`sightline import` and `sightline export`: many records of one kind, as lines of a file."""

import asyncio
import gc
import os
import re
import signal
import sys
from contextlib import nullcontext
from functools import reduce
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Literal, TextIO

import typer
from rich.progress import DownloadColumn, TransferSpeedColumn

from sightline.cli.options import InWorkspace, argument, input_file, option
from sightline.cli.output import counted, note, print_json
from sightline.cli.progress import Bar
from sightline.cli.site import Site, operator, site_command
from sightline.imports import Import, Imported, ListReader
from sightline.imports.customers import UnknownAccounts
from sightline.imports.files import DELIMITERS
from sightline.imports.maps import Map, joined, map_of_pairs, map_of_tool, read_map
from sightline.imports.report import fault_lines
from sightline.platform.refused import Refused
from sightline.workspace_file import export_list
from sightline.workspace_file.exporting import Format

INTERRUPTED = 130
LONGEST_WORD = 255

Kind = Annotated[
    Literal["ideas", "accounts", "insights", "feedback", "ratings", "signals"],
    argument("KIND", "ideas, accounts, insights, feedback (or ratings) or signals."),
]
LISTS = {"ratings": "feedback"}  # where the list is not called like the kind
Tool = Literal["aha", "canny", "fider", "jira", "productboard", "uservoice", "zendesk"]
FORMATS: dict[str, Format] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_FURTHER = (  # members of the result that are said if they are not 0
    ("left_out", "line", "left out, as the map says"),
    ("united", "further row", "united with the first one of the same record"),
    ("merged", "merged post", "kept as evidence of the post that has it now"),
    ("votes_added", "vote", "added for people with an e-mail address"),
    ("accounts_added", "account", "created"),
    (
        "accounts_namesakes",
        "account",
        "created beside one of the same name: values in a map file say which one is meant",
    ),
    ("accounts_left_out", "unknown account", "left out of the lines that name them"),
)
_HEAD = 65_536
_MARKS = {  # members of the JSON of a tool
    "uservoice": re.compile(rb'"suggestions"\s*:\s*\['),
    "zendesk": re.compile(rb'"(?:raw_subject|ticket_form_id)"\s*:|"tickets"\s*:\s*\['),
}
_OURS = re.compile(rb'"(?:rawData|featureMatching)"\s*:')  # in which our own records may have these members


def read_source_key(text: str) -> str:
    if not (1 <= len(text) <= LONGEST_WORD and text.strip()):
        raise typer.BadParameter(f"give 1 to {LONGEST_WORD} characters")
    return text


_FILES = "CSV, JSON Lines, a JSON document with a list of records, or a ZIP with one of these; -: stdin."
_SOURCE = "The source of records that have nothing but an externalId; import when left out."


@site_command("import")
async def import_(  # noqa: PLR0913 - an option each
    site: Site,
    kind: Kind,
    file: Annotated[BufferedReader, input_file(_FILES)],
    workspace: InWorkspace,
    format: Annotated[Format | None, option("Guessed from the suffix or first byte when left out.")] = None,
    source_key: Annotated[str | None, option(_SOURCE, parser=read_source_key, metavar="TEXT")] = None,
    tool: Annotated[Tool | None, option("The tool that the file comes from.", "--from")] = None,
    map: Annotated[list[str] | None, option("The field of a column; repeatable.", metavar="COLUMN=FIELD")] = None,
    map_file: Annotated[Path | None, option("A YAML file with a map.", metavar="FILE")] = None,
    strict: Annotated[bool, option("Refuse columns that are no fields.", "--strict")] = False,
    dry_run: Annotated[bool, option("Say what would be stored, and store nothing.", "--dry-run")] = False,
    rejects: Annotated[Path | None, option("Write refused lines with their reasons.", metavar="FILE")] = None,
    unknown_accounts: Annotated[UnknownAccounts, option("What happens to accounts that do not exist.")] = "refuse",
) -> None:
    """Adds and updates many records of one kind. Faulty lines are reported and do not stop the others."""
    gc.set_threshold(20_000)  # records have no cycles: to look for some with each 700 costs a sixth of the time
    found_map = _read_maps(kind, tool, map_file, map)
    format = format or _find_format(kind, file, tool, found_map)
    reader = ListReader(LISTS.get(kind, kind), file, format, source_key, found_map, strict=strict)
    with _open_rejects(rejects, file) if rejects else nullcontext() as out:
        importing = Import(
            site.db,
            workspace,
            reader,
            actor_id=operator().id,
            warn=lambda text: note(f"Warning: {text}"),
            unknown_accounts=unknown_accounts,
            dry_run=dry_run,
            rejects=out.write if out else None,
        )
        is_stopped = await _import(importing)
    _print_done(importing.done, site.as_json, dry_run=dry_run)
    raise typer.Exit(INTERRUPTED if is_stopped else int(importing.done.faulty > 0))


def _read_maps(kind: str, tool: str | None, map_file: Path | None, pairs: list[str] | None) -> Map | None:
    """Returns the map of a tool, changed by the map file and then by the options. None if nothing was said."""
    maps = [map_of_tool(tool)] if tool else []
    maps += [read_map(map_file.read_bytes(), str(map_file))] if map_file else []
    maps += [map_of_pairs(pairs)] if pairs else []
    found = reduce(joined, maps) if maps else None
    if found and found.kind not in (None, LISTS.get(kind, kind)):
        raise Refused(f"An export of {tool} has {found.kind}: import these.")
    return found


def _find_format(kind: str, file: BufferedReader, tool: str | None, map: Map | None) -> Format | None:
    """Returns the format by the suffix. Refuses single calls, mails and notes, and JSON of another tool."""
    suffix = Path(str(file.name)).suffix.lower()
    if suffix in (".vtt", ".srt", ".eml") or (suffix in (".txt", ".md") and kind == "signals" and map is None):
        raise Refused(f"A {suffix} file is one signal: give it to `sightline signals add --file`.")
    head = file.peek(_HEAD)[:_HEAD].lstrip()
    for other, mark in _MARKS.items() if head[:1] in (b"{", b"[") and (tool or map is None) else ():
        if other != tool and mark.search(head) and not _OURS.search(head) and map_of_tool(other).kind == kind:
            raise Refused(f"The file looks like an export of {other}: give --from {other}.")
    return FORMATS.get(suffix)


def _open_rejects(path: Path, source: BufferedReader) -> TextIO:
    if path.exists() and os.path.samestat(path.stat(), os.fstat(source.fileno())):
        raise Refused("--rejects names the file that is imported: give another one.")
    return path.open("w", encoding="utf-8", newline="")


async def _import(importing: Import) -> bool:
    """Imports the file and reports its faults. Returns whether it was interrupted.

    A second Ctrl-C does not wait for the end of the batch.
    """
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupt() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    size = os.fstat(importing.reader.source.fileno()).st_size or None  # 0 of a pipe
    how = "Failed"
    try:
        with Bar(f"Importing {importing.done.kind}", DownloadColumn(), TransferSpeedColumn(), total=size) as bar:
            await importing.run(stop, lambda batch: bar.reach(batch.bytes))
        how = "Interrupted" if stop.is_set() else ""
        return stop.is_set()
    finally:
        for line in fault_lines(importing.done.faults, importing.fault_count, importing.fault_kinds.values()):
            note(line)
        if how == "Interrupted" or (how and importing.reached):
            place = f"{how} after line {importing.reached}"
            note(f"{place}: the lines up to there are stored. Run it again for the rest.")


def _print_done(done: Imported, as_json: bool, *, dry_run: bool) -> None:
    if as_json:
        print_json(done)
        return
    counts = f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty"
    if dry_run:
        for name, sample in done.fields.items():
            typer.echo(f"{name}: {sample.count}, such as {', '.join(sample.examples)}")
        counts = "nothing is stored; it would be " + counts
    typer.echo(f"{counted(done.lines, 'line')} of {done.kind} in {done.seconds:.1f} s: {counts}.")
    if done.encoding and done.delimiter:
        file = f"Read {done.file}" if done.file else "Read"
        place = f", with headers in line {done.header_line}" if (done.header_line or 1) > 1 else ""
        typer.echo(f"{file} as {done.encoding}, separated by {DELIMITERS[done.delimiter]}{place}.")
    elif done.file:
        typer.echo(f"Read {done.file}.")
    if done.known_by:
        typer.echo(f"No column has an id, so records are known by {', '.join(done.known_by)}.")
    for name, noun, text in _FURTHER:
        if count := getattr(done, name):
            typer.echo(f"{counted(count, noun)} {'would be ' if dry_run else ''}{text}.")
    _print_columns(done)


def _print_columns(done: Imported) -> None:
    """Prints what the columns lack."""
    if done.dates_without_zone:
        columns = ", ".join(done.dates_without_zone)
        typer.echo(f"Dates without a zone are read as UTC ({columns}); give a zone in a map file.")
    if done.missing_columns:
        typer.echo(f"Columns of the map that are not in the file: {', '.join(map(repr, done.missing_columns))}.")
    if done.ignored_columns:
        typer.echo(
            f"Columns that fill no field: {', '.join(map(repr, done.ignored_columns))}. --map 'Column=field' maps one."
        )


@site_command("export", has_json=False)
async def export(
    site: Site,
    kind: Kind,
    workspace: InWorkspace,
    format: Annotated[Format, option("JSON Lines, or CSV for a spreadsheet.")] = "jsonl",
) -> None:
    """Prints the records of one kind. CSV is safe to open in a spreadsheet; both can be imported."""
    await export_list(site.db, workspace, LISTS.get(kind, kind), format, sys.stdout.buffer.write)
