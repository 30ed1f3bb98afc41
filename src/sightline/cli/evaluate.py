"""`sightline evaluate`: how well the engine does on labelled texts and pages of your own."""

from asyncio import run
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.options import AsJson, Command, group, open_file
from sightline.cli.output import print_json, print_pairs

if TYPE_CHECKING:
    from sightline.intelligence.document_quality import DocumentQuality
    from sightline.intelligence.evaluation import MatchingQuality
    from sightline.intelligence.insight_quality import InsightQuality
    from sightline.intelligence.marks import Kept, Output
    from sightline.intelligence.question_quality import QuestionQuality
    from sightline.intelligence.similar_quality import SimilarQuality
    from sightline.research.quality import ResearchQuality
    from sightline.sources.evaluation import ExtractionQuality, PageResult

app = group("evaluate", "The quality of the engine, measured on labelled data.")

Picture = Annotated[Path | None, typer.Option("--picture", metavar="PATH", help="Draw the figures there, as SVG.")]
World = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with labelled material.")]
Marks = Annotated[Path | None, typer.Option("--marks", metavar="FILE", help="Count what readers would keep.")]
Outputs = Annotated[Path | None, typer.Option("--outputs", metavar="FILE", help="Write what readers mark there.")]


@app.command("matching", cls=Command)
def matching(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")],
    json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Measures how well ideas are matched with features."""
    from sightline.intelligence.embedded import embedded_engine
    from sightline.intelligence.evaluation import draw_curve, evaluate_matching, read_texts

    with open_file(file) as lines:
        texts = read_texts(file, lines)
    quality = evaluate_matching(embedded_engine(), texts, perf_counter)
    if picture is not None:
        picture.write_text(draw_curve(quality), encoding="utf-8")
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_matching(quality))


@app.command("extraction", cls=Command)
def extraction(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Pages with labels.jsonl; by default those of Sightline.")
    ] = None,
    json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Measures how well text and dates are taken from pages."""
    from sightline.platform.clock import Clock
    from sightline.sources.evaluation import draw_shares, evaluate_extraction, read_pages

    pages = read_pages(folder or files("sightline.sample").joinpath("pages"))
    quality = evaluate_extraction(pages, Clock().now(), perf_counter)
    if picture is not None:
        picture.write_text(draw_shares(quality), encoding="utf-8")
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_extraction(quality))


@app.command("questions", cls=Command)
def questions(folder: World, json: AsJson = False, marks: Marks = None, outputs: Outputs = None) -> None:
    """Measures whether ideas are asked what they lack."""
    from sightline.intelligence.question_quality import evaluate_questions, outputs_of, read_ideas

    ideas = read_ideas(folder)
    quality = evaluate_questions(ideas)
    quality.kept = _kept(outputs_of(ideas), marks, outputs)
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_questions(quality))


@app.command("insights", cls=Command)
def insights(folder: World, json: AsJson = False, marks: Marks = None, outputs: Outputs = None) -> None:
    """Measures which statements of tickets become insights."""
    from sightline.intelligence.insight_quality import evaluate_insights, outputs_of, read_tickets

    tickets = read_tickets(folder)
    quality = evaluate_insights(tickets)
    quality.kept = _kept(outputs_of(tickets), marks, outputs)
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_insights(quality))


@app.command("similar", cls=Command)
def similar(folder: World, json: AsJson = False, marks: Marks = None, outputs: Outputs = None) -> None:
    """Measures which requests and insights are offered as similar."""
    from sightline.intelligence.similar_quality import evaluate_similar, outputs_of, read_offers

    offers = read_offers(folder)
    quality = evaluate_similar(offers)
    quality.kept = _kept(outputs_of(offers), marks, outputs)
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_similar(quality))


@app.command("documents", cls=Command)
def documents(folder: World, json: AsJson = False, marks: Marks = None, outputs: Outputs = None) -> None:
    """Measures the PRD of an initiative by the list of a product manager."""
    from sightline.intelligence.document_quality import count_marks, evaluate_document, outputs_of, read_case
    from sightline.intelligence.marks import read_marks, write_outputs

    case = read_case(folder)
    quality = evaluate_document(case)
    if outputs is not None:
        write_outputs(outputs, outputs_of(case), shuffle=False)
    if marks is not None:
        with marks.open("rb") as lines:
            quality.marks = count_marks(case, read_marks(str(marks), lines))
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_documents(quality))


@app.command("research", cls=Command)
def research(folder: World, json: AsJson = False, marks: Marks = None, outputs: Outputs = None) -> None:
    """Measures whether research finds the facts of labelled articles, and says so where there are none."""
    from sightline.platform.clock import Clock
    from sightline.research.quality import answer_all, evaluate_research, outputs_of, read_labels

    labels = read_labels(folder)
    answers = run(answer_all(folder, labels, Clock().now()))
    quality = evaluate_research(labels, answers)
    quality.kept = _kept(outputs_of(answers), marks, outputs)
    if json:
        print_json(quality)
    else:
        print_pairs(_pairs_of_research(quality))


def _kept(made: "list[Output]", marks: Path | None, outputs: Path | None) -> "Kept | None":
    """Writes the outputs for readers, and counts what the marks keep."""
    from sightline.intelligence.marks import count_kept, read_marks, write_outputs

    if outputs is not None:
        write_outputs(outputs, made)
    if marks is None:
        return None
    with marks.open("rb") as lines:
        return count_kept(made, read_marks(str(marks), lines))


def _pairs_of_matching(quality: "MatchingQuality") -> Iterator[tuple[str, object]]:
    related = quality.texts - quality.unrelated_texts
    yield "texts", f"{quality.texts}: {related} about a feature, {quality.unrelated_texts} about none"
    yield "applied", f"{quality.applied}: {_percent(quality.applied_precision)} of them right"
    yield "suggested", f"{quality.suggested}: {_percent(quality.suggestion_precision)} of them right"
    yield "found by what is applied", f"{_percent(quality.applied_recall)} of {quality.relevant}"
    yield "found with suggestions", f"{_percent(quality.recall_with_suggestions)} of {quality.relevant}"
    yield "applied to texts about none", _percent(quality.applied_on_unrelated_texts)
    order = quality.order
    yield "first, second, third suggestion", f"{', '.join(map(_percent, order.right_by_rank))} of them right"
    close = f"{_percent(order.right_before_wrong_if_close)} of {order.close_pairs} with close confidences"
    yield "right before wrong", f"{_percent(order.right_before_wrong)} of {order.pairs} pairs, {close}"
    yield "calibration error", quality.calibration_error
    yield "milliseconds for a text", quality.milliseconds


def _pairs_of_questions(quality: "QuestionQuality") -> Iterator[tuple[str, object]]:
    yield "questions", quality.questions
    yield "drafted answers", quality.drafts
    yield "about what the text lacks", _percent(quality.about_lacking)
    yield "ideas that lack something", f"{_percent(quality.lacking_asked)} of {quality.ideas_lacking} asked about it"
    yield "ideas that lack nothing", f"{quality.complete_asked} of {quality.ideas_complete} asked"
    if quality.kept is not None:
        yield "kept by readers", f"{_percent(quality.kept.share)} of {quality.kept.marked} marked"
    yield from (("not lacking", one) for one in quality.wrong)


def _pairs_of_insights(quality: "InsightQuality") -> Iterator[tuple[str, object]]:
    yield "insights", f"{quality.insights} of {quality.tickets} tickets"
    yield "right", _percent(quality.right)
    yield "of the wrong kind", _percent(quality.wrong_kind)
    yield "mixed", _percent(quality.mixed)
    yield "doubled", _percent(quality.doubled)
    yield "not a statement", f"{_percent(quality.traps)}, without a label {_percent(quality.unlabelled)}"
    for name, kind in quality.kinds.items():
        known = f"{_percent(kind.statements_found)} of {kind.statements} known, {_percent(kind.labels_found)}"
        yield name, f"found {known} of {kind.labels} said; {kind.insights} insights, {_percent(kind.right)} right"
    if quality.kept is not None:
        yield "kept by readers", f"{_percent(quality.kept.share)} of {quality.kept.marked} marked"
    yield from (("wrong", one) for one in quality.wrong)


def _pairs_of_similar(quality: "SimilarQuality") -> Iterator[tuple[str, object]]:
    for name, kind in (("requests", quality.requests), ("insights", quality.insights)):
        yield name, f"{kind.offered} offered, {_percent(kind.right)} right"
        yield f"pairs of {name}", f"{_percent(kind.pairs_offered)} of {kind.pairs} offered"
    if quality.kept is not None:
        yield "kept by readers", f"{_percent(quality.kept.share)} of {quality.kept.marked} marked"
    yield from (("wrong", one) for one in quality.wrong)


def _pairs_of_research(quality: "ResearchQuality") -> Iterator[tuple[str, object]]:
    yield "begin with a fact", f"{_percent(quality.first)} of {quality.answerable} questions"
    yield "current facts found", f"{_percent(quality.among)} of {quality.facts}"
    yield "unanswerable, and said so", f"{_percent(quality.unanswerable_said)} of {quality.unanswerable}"
    yield "older before current", quality.older_first
    yield "copies quoted twice", quality.copies_twice
    yield "contradictions shown", f"{quality.contradictions_shown} of {quality.contradictions}"
    if quality.kept is not None:
        yield "kept by readers", f"{_percent(quality.kept.share)} of {quality.kept.marked} marked"
    yield from (("wrong", one) for one in quality.wrong)


def _pairs_of_documents(quality: "DocumentQuality") -> Iterator[tuple[str, object]]:
    yield "lines", quality.lines
    yield "lines that repeat another one", len(quality.repeated)
    yield "lines of a statement that an earlier line has", len(quality.same_statement)
    yield "lines from rejected or stale material", len(quality.forbidden)
    yield "titles that are cut", len(quality.cut_titles)
    yield "covered of the manager's list, at least", f"{_percent(quality.covered)} of {quality.wanted}"
    if marks := quality.marks:
        yield "kept by readers", f"{_percent(marks.kept.share)} of {marks.kept.marked} marked"
        yield "repeated, as readers say", marks.repeated
        yield "covered, as readers say", f"{_percent(marks.covered.share)} of {marks.covered.marked} marked"
    for name in ("repeated", "same_statement", "forbidden", "cut_titles", "not_covered"):
        yield from ((name.replace("_", " "), one) for one in getattr(quality, name)[:10])


def _pairs_of_extraction(quality: "ExtractionQuality") -> Iterator[tuple[str, object]]:
    yield "pages", quality.pages
    yield "text that is the page's", _percent(quality.text_precision)
    yield "text that is found", _percent(quality.text_recall)
    yield "F1 of both", _percent(quality.text_f1)
    yield "dates that are right", f"{_percent(quality.date_precision)} of {quality.dates_given}"
    yield "dates that are found", f"{_percent(quality.date_recall)} of {quality.dated_pages}"
    yield "milliseconds for a page", quality.milliseconds
    yield from ((one.file, _fault(one)) for one in quality.faults)


def _fault(page: "PageResult") -> str:
    parts = [f"without {passage!r}" for passage in page.missing] + [f"with {passage!r}" for passage in page.noise]
    if not page.is_date_right:
        parts.append(f"dated {page.published}" if page.published else "not dated")
    return "; ".join(parts)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
