"""The name an idea gets when it comes without one."""

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.naming import wording
from sightline.intelligence.embedded.sentences import ABBREVIATIONS, split_sentences

name_idea = embedded_engine().name_idea


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("It would be great if we could export charts as PNG.", "Export charts as PNG"),
        ("It would be really helpful to be able to sort invoices by due date.", "Sort invoices by due date"),
        ("It'd be nice to have a dark mode for the night shift.", "Dark mode for the night shift"),
        ("It would be nice if there was a calendar of all deliveries.", "Calendar of all deliveries"),
        ("It would be useful if the app could remember my last filter.", "Remember my last filter"),
        ("It would be great if admins could export every table.", "Admins could export every table"),
        ("Would be awesome to pin a comment.", "Pin a comment"),
        ("Please add a second approver to purchase orders.", "Add a second approver to purchase orders"),
        ("Please allow users to filter by owner.", "Allow users to filter by owner"),
        ("Could you please add bulk edit?", "Add bulk edit"),
        ("Can you make the timeline zoomable?", "Make the timeline zoomable"),
        ("Can we have two calendars side by side?", "Two calendars side by side"),
        ("Would it be possible to merge two customers?", "Merge two customers"),
        ("Is it possible to duplicate a project with its tasks?", "Duplicate a project with its tasks"),
        ("Is there a way to hide finished orders?", "Hide finished orders"),
        ("Any chance of getting webhooks for new orders?", "Webhooks for new orders"),
        ("We would like to print labels from the phone.", "Print labels from the phone"),
        ("We'd love to see the margin of each quote.", "Margin of each quote"),
        ("I'd like to suggest keyboard shortcuts for the planner.", "Keyboard shortcuts for the planner"),
        ("I would love it if I could drag tasks between boards.", "Drag tasks between boards"),
        ("We need to be able to undo a merge.", "Undo a merge"),
        ("We need an audit log of price changes.", "Audit log of price changes"),
        ("Users want dark mode.", "Dark mode"),
        ("Photos of damage arrive tiny. We want them in full size, with zoom.", "Photos of damage arrive tiny"),
        ("Our customers need invoices in French.", "Invoices in French"),
        ("iOS users want widgets", "iOS users want widgets"),
        ("I want the ability to lock a finished estimate.", "Lock a finished estimate"),
        ("I wish I could reorder the columns of a table.", "Reorder the columns of a table"),
        ("I wish there was a map of open jobs.", "Map of open jobs"),
        ("There should be a button to repeat the last order.", "Button to repeat the last order"),
        ("There should be a way to archive old projects.", "Archive old projects"),
        ("Users should be able to reset their own passwords.", "Reset their own passwords"),
        ("You should show the total of each cart before checkout.", "Show the total of each cart before checkout"),
        ("My suggestion is to round prices to whole euros.", "Round prices to whole euros"),
        ("I suggest that you group alerts by site.", "Group alerts by site"),
        ("We are looking for a way to share read-only dashboards.", "Share read-only dashboards"),
        ("As a sales manager I want to see the pipeline by region.", "Pipeline by region"),
        ("As a picker, I would like to scan two bins at once so that I walk less.", "Scan two bins at once"),
        ("I think it would be good to warn before a double booking.", "Warn before a double booking"),
        ("I think that the search is too slow on large boards.", "The search is too slow on large boards"),
        ("Hi team, could you add a field for the delivery note?", "Add a field for the delivery note"),
        ("Hello! Please add an export of comments. Thanks.", "Add an export of comments"),
        ("Good morning,\n\nwe need a printable floor plan.\n\nRegards, Ana", "Printable floor plan"),
        ("Hi team,\n\nWe would like to export charts as PNG. Thanks!", "Export charts as PNG"),
        ("Feature request: offline maps for drivers", "Offline maps for drivers"),
        ("**Idea:** show stock next to each part", "Show stock next to each part"),
        (
            "Analysts copy tables every week. Please add a CSV export of all tables.",
            "Add a CSV export of all tables",
        ),
        ("When we close the month, it would be great if we could lock all older bookings.", "Lock all older bookings"),
        ("Dark mode\n\nPlease let everyone choose it in the profile.", "Dark mode"),
        ("# Bulk edit\n\n- **Select** many rows at once", "Bulk edit"),
        ("A shared inbox for the night shift would be great.", "A shared inbox for the night shift"),
        ("The ability to clone a survey would be very useful for us.", "Clone a survey"),
        (
            "Let mechanics add photos to an estimate so that customers see the damage.",
            "Let mechanics add photos to an estimate",
        ),
        ("Customers keep asking for a dark mode. It would help.", "Customers keep asking for a dark mode"),
        ("I cannot log in with my Google account", "I cannot log in with my Google account"),
        (
            "Warehouse staff lose scans when the network drops. We lose an hour a day.",
            "Warehouse staff lose scans when the network drops",
        ),
        ("If a chart is large, we want it on two pages.", "If a chart is large, we want it on two pages"),
        ("Please fix", "Please fix"),
        ("Please do not remove the old editor.", "Do not remove the old editor"),
        ("Could you let me know when exports work? Please add an export of photos, thanks", "Add an export of photos"),
        ("Please also consider adding time zones to meetings, please", "Adding time zones to meetings"),
        ("## Description\n\n> The `report` page is *slow*.", "The report page is slow"),
        ("- [C# client](x) and more;", "[C# client](x) and more"),
        ("Let admins export every table.", "Let admins export every table"),
        ("let admins export every table", "Let admins export every table"),
        ("导出报表到Excel。每周需要。", "导出报表到Excel"),
        ("Export", "Export"),
        ("!!! ???", "!!!"),
        ("🚀", "🚀"),
        (" \u200b\n", "Idea"),
    ],
)
def test_a_name_is_the_title_the_request_or_the_beginning(description: str, name: str) -> None:
    assert name_idea(description) == name


PATTERNS = {**wording().openings, **wording().prefaces, **wording().endings}


@pytest.mark.parametrize("examples", PATTERNS.values(), ids=[next(iter(each)) for each in PATTERNS.values()])
def test_each_pattern_has_a_sentence_that_gets_its_name(examples: dict[str, str]) -> None:
    assert {sentence: name_idea(sentence) for sentence in examples} == examples


def test_after_a_condition_the_name_is_what_should_be_done() -> None:
    text = "When the network drops, nobody gets in. It is a pity. The handheld should hold the list of tickets."
    assert name_idea(text) == "The handheld should hold the list of tickets"


@pytest.mark.parametrize(
    ("description", "name"),
    [
        (
            "When a hive has swarmed because of the heat, one tap moves its frames to the next free box of the yard.",
            "When a hive has swarmed, one tap moves its frames to the next free box",
        ),
        (
            "Because the weighing scale hangs after each long power cut, let us reset it from the honey room.",
            "Because the weighing scale hangs, let us reset it from the honey room",
        ),
        (
            "If a lesson is full, pupils want to be put on a list and get a call when a place is free on that day.",
            "If a lesson is full, pupils want to be put on a list and get a call",
        ),
        (
            "Since teachers who drive far away on Saturdays forget the mileage, the car itself sends it every night.",
            "The car itself sends it every night",
        ),
        (
            "When a colony is sold as dead, everything has to stop at once: visits, feed orders, mails, treatments.",
            "When a colony is sold as dead, everything has to stop at once",
        ),
        (
            "Sobald eine Wabe voll ist, schickt die Waage eine Nachricht an alle Imker, die am selben Stand arbeiten.",
            "Sobald eine Wabe voll ist, schickt die Waage eine Nachricht an alle Imker",
        ),
        (
            "Pupils see on their phone which car their next lesson is in, without a call to the driving school.",
            "Pupils see on their phone which car their next lesson is in",
        ),
    ],
)
def test_a_long_condition_leaves_room_for_what_is_done(description: str, name: str) -> None:
    assert name_idea(description) == name


@pytest.mark.parametrize("abbreviation", sorted(ABBREVIATIONS))
def test_neither_a_sentence_nor_a_name_ends_with_an_abbreviation(abbreviation: str) -> None:
    text = f"Warn about odd orders of all customers in each country, {abbreviation}. {'x' * 30}, and more."
    assert split_sentences(text) == (text,)
    assert name_idea(text) == "Warn about odd orders of all customers in each country"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "The diary should refuse a second booking in a slot the very moment the first is saved by anybody.",
            "The diary should refuse a second booking",
        ),
        (
            "When an animal is dead, everything has to stop at once: boosters, worming, birthday mails, surveys.",
            "When an animal is dead, everything has to stop at once",
        ),
        (
            "Managers compare the pipeline of all regions with the forecast of last year and the budget for the next.",
            "Managers compare the pipeline of all regions with the forecast of last year",
        ),
        (
            "Let workers tap the door badge on the scanner instead of typing name and PIN at every change of shifts.",
            "Let workers tap the door badge on the scanner instead of typing name and PIN",
        ),
        (
            "Das Etikett soll z. B. auch auf Französisch gedruckt werden, damit es die Kollegen in Lyon lesen können.",
            "Das Etikett soll z. B. auch auf Französisch gedruckt werden",
        ),
        (
            "Wir brauchen einen Export der Listen von Kränen, d. h. der Kräne und Kunden mit Spalten für alle Namen.",
            "Wir brauchen einen Export der Listen von Kränen",
        ),
        (
            "Show the price of each part beside the photo, because customers refuse whatever they cannot see clearly.",
            "Show the price of each part beside the photo",
        ),
        (
            "Reserve the parts of a job when the estimate is approved so that nobody uses them for another bike.",
            "Reserve the parts of a job when the estimate is approved",
        ),
        (
            "Warn mechanics about missing torque values of carbon handlebars and electric drive units from abroad.",
            "Warn mechanics about missing torque values of carbon handlebars",
        ),
    ],
)
def test_a_long_sentence_is_cut_where_a_clause_ends(text: str, name: str) -> None:
    assert name_idea(text) == name


def test_a_single_longer_word_is_cut() -> None:
    assert name_idea("x" * 500) == "X" + "x" * 79
    assert name_idea("Short " + "x" * 500) == "Short"
