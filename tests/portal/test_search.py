"""The search of the list: parts of words, the best fit first, matches marked, filters and orders."""

import asyncio
import re
from typing import Any
from urllib.parse import quote

import pytest

from sightline.portal.ideas.search import Search, TitleWords
from tests.portal.product import PortalWorld
from tests.portal.test_pages import idea, signed_in, titles
from tests.portal.test_requests import offered
from tests.waiting import until_blocked


async def names_found(world: PortalWorld, query: str) -> list[str]:
    return titles((await (await signed_in(world)).get(f"/?{query}")).text)


async def words_kept(world: PortalWorld) -> list[str]:
    rows = await world.rows("SELECT DISTINCT word FROM idea_words WHERE workspace_id = $1 ORDER BY word")
    return [row["word"] for row in rows]


async def test_a_part_of_a_compound_finds_it_and_is_marked(world: PortalWorld) -> None:
    compound = "Stundenvertretungsplan als PDF"
    await world.add(
        ideas=[
            idea("name", compound),
            idea("text", "Plan") | {"description": "Ohne Krankheitsvertretungen geht es nicht."},
            idea("other", "Vertreter"),
            idea("hidden", "Urlaubsvertretung", visible=False),
        ]
    )
    browser = await signed_in(world)
    page = (await browser.get("/?q=Vertretung")).text
    assert titles(page) == [compound, "Plan"]
    assert "Stunden<mark>vertretung</mark>splan als PDF" in page
    assert "Ohne Krankheits<mark>vertretung</mark>en geht" in page
    assert titles((await browser.get("/?q=tretu")).text) == [compound, "Plan"], "five letters"
    assert titles((await browser.get("/?q=tret")).text) == [], "four are too few"
    assert titles((await browser.get("/?q=vertretung+pdf")).text) == [compound], "every word has to fit"


@pytest.mark.parametrize("query", ["l'agenda", "L\u2019agenda", "agenda's", "I'm agenda"])
async def test_a_letter_that_is_cut_short_is_no_word_of_a_search(world: PortalWorld, query: str) -> None:
    await world.add(ideas=[idea("a", "Agenda partagé, le soir") | {"description": "Pour tous."}])
    page = (await (await signed_in(world)).get(f"/?q={quote(query)}")).text
    assert (titles(page), re.findall("<mark>(.*?)</mark>", page)) == (["Agenda partagé, le soir"], ["Agenda"])


async def test_a_part_of_a_compound_finds_similar_ideas(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Stundenvertretungsplan als Kalenderfeed"), idea("b", "Dienstplan als Ausdruck")])
    browser = await signed_in(world)
    assert await offered(browser, "Vertretung in einem Kalenderfeed") == ["Stundenvertretungsplan als Kalenderfeed"]


async def test_a_part_finds_twenty_words_at_most(world: PortalWorld) -> None:
    await world.add(ideas=[idea(f"i{n}", f"{'x' * n}platform") for n in range(1, 31)])
    browser = await signed_in(world)
    assert "20 ideas" in (await browser.get("/?q=platform")).text


async def test_the_words_of_ideas_follow_what_the_portal_shows(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Wagenstandsanzeiger"), idea("b", "Anderes", visible=False)])
    assert await words_kept(world) == ["wagenstandsanzeiger"]
    await world.client.patch("/ideas/IDEA-2", json={"name": "Gleiswechselmeldung", "portalVisible": True})
    await world.client.patch("/ideas/IDEA-1", json={"name": "Sitzplatzreservierung"})
    assert await names_found(world, "q=standsanz") == ["Sitzplatzreservierung"], "still in its description"
    assert await names_found(world, "q=wechsel") == ["Gleiswechselmeldung"]
    assert await names_found(world, "q=platzreserv") == ["Sitzplatzreservierung"]
    for number in (1, 2):
        await world.client.delete(f"/ideas/IDEA-{number}")
    assert await words_kept(world) == []


async def test_words_of_hidden_ideas_take_no_place_of_the_twenty(world: PortalWorld) -> None:
    await world.add(ideas=[idea(f"i{n}", f"{'x' * n}platform") for n in range(1, 22)])
    for number in range(1, 21):
        await world.client.patch(f"/ideas/IDEA-{number}", json={"portalVisible": False})
    assert await names_found(world, "q=platform") == [f"{'x' * 21}platform"]


async def test_words_that_only_hidden_ideas_have_keep_no_part_from_being_found(world: PortalWorld) -> None:
    compound = "Urlaubsvertretungsplanung"
    names = [" ".join(f"x{'abcdefghij'[n]}{'abcdefghij'[m]}vertretu" for m in range(10)) for n in range(10)]

    def others(*, visible: bool) -> list[dict[str, Any]]:
        return [idea(f"i{n}", f"{name} Kalenderfeed", visible=visible) for n, name in enumerate(names)]

    await world.add(ideas=[idea("shown", f"{compound} als Kalenderfeed"), *others(visible=True)])
    assert "vertretu" in "".join(await words_kept(world)).replace(compound.lower(), "")
    await world.add(ideas=others(visible=False))
    assert await words_kept(world) == ["kalenderfeed", compound.lower()]
    await world.client.patch("/ideas/IDEA-1", json={"portalVisible": False})
    assert await words_kept(world) == []
    await world.client.patch("/ideas/IDEA-1", json={"portalVisible": True})
    assert await names_found(world, "q=vertretung") == [f"{compound} als Kalenderfeed"]


async def test_a_word_stays_that_is_written_while_another_idea_with_it_is_hidden(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Wagenstandsanzeiger"), idea("b", "Anderes")])
    rename = "UPDATE ideas SET name = 'Wagenstandsanzeiger' WHERE workspace_id = $1 AND number = 2"
    async with world.database.transaction() as tx:
        await tx.connection.execute(rename, world.workspace_id)
        hiding = await world.client.patch("/ideas/IDEA-1", json={"portalVisible": False})
    assert hiding.status_code == 200
    assert await words_kept(world) == ["anderes", "wagenstandsanzeiger"]


async def test_a_word_stays_that_is_written_while_another_idea_with_it_is_deleted(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Wagenstandsanzeiger"), idea("b", "Anderes")])
    rename = "UPDATE ideas SET name = 'Wagenstandsanzeiger' WHERE workspace_id = $1 AND number = 2"
    async with world.database.transaction() as tx:
        await tx.connection.execute(rename, world.workspace_id)
        deletion = asyncio.create_task(world.client.delete("/ideas/IDEA-1"))
        await asyncio.wait([deletion], timeout=0.5)
    assert (await deletion).status_code == 200
    assert await words_kept(world) == ["anderes", "wagenstandsanzeiger"]


async def test_who_writes_ideas_and_who_deletes_one_wait_for_no_words(world: PortalWorld) -> None:
    """A file writes many ideas in one transaction, in any order, and may change the one that is deleted."""
    await world.add(ideas=[idea("a", "Abfahrtstafel Wagenstandsanzeiger"), idea("b", "Anderes"), idea("c", "Nichts")])
    rename = "UPDATE ideas SET name = $2, description = $2 WHERE workspace_id = $1 AND number = $3"
    async with world.database.transaction() as tx:
        await tx.connection.execute(rename, world.workspace_id, "Wagenstandsanzeiger", 2)
        assert (await world.client.delete("/ideas/IDEA-1")).status_code == 200
        await tx.connection.execute(rename, world.workspace_id, "Abfahrtstafel", 3)
    assert await words_kept(world) == ["abfahrtstafel", "anderes", "nichts", "wagenstandsanzeiger"]
    async with world.database.transaction() as tx:
        await tx.connection.execute("DELETE FROM ideas WHERE workspace_id = $1 AND number = 2", world.workspace_id)
        body = {"name": "Wagenstandsanzeiger", "description": "Wagenstandsanzeiger", "portalVisible": True}
        assert (await world.client.post("/ideas", json=body)).status_code == 201
    assert "wagenstandsanzeiger" in await words_kept(world)
    assert (await world.client.delete("/ideas/IDEA-4")).status_code == 200
    assert "wagenstandsanzeiger" not in await words_kept(world)


async def test_the_word_of_two_ideas_that_are_deleted_at_once_goes(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Wagenstandsanzeiger Abfahrtstafel"), idea("b", "Abfahrtstafel")])
    async with world.database.transaction() as tx:
        await tx.connection.execute("DELETE FROM ideas WHERE workspace_id = $1 AND number = 1", world.workspace_id)
        deletion = asyncio.create_task(world.client.delete("/ideas/IDEA-2"))
        await until_blocked(tx.connection)
    assert (await deletion).status_code == 200
    assert await words_kept(world) == []


async def test_ideas_written_at_once_wait_for_none_and_keep_each_word(world: PortalWorld) -> None:
    async def write(number: int) -> None:
        name = f"{'Abfahrtstafel Bahnsteigkante' if number % 2 else 'Bahnsteigkante Abfahrtstafel'} {number}"
        body: dict[str, Any] = {"name": name, "description": name, "portalVisible": True}
        assert (await world.client.post("/ideas", json=body)).status_code in (200, 201)

    await asyncio.gather(*(write(number) for number in range(16)))
    assert await words_kept(world) == ["abfahrtstafel", "bahnsteigkante"]
    browser = await signed_in(world)
    for part in ("fahrtst", "steigk"):
        assert "16 ideas" in (await browser.get(f"/?q={part}")).text


async def test_the_best_fit_comes_first_unless_another_order_is_chosen(world: PortalWorld) -> None:
    await world.add(
        ideas=[
            idea("name", "Invoice layout") | {"description": "Fonts."},
            idea("text", "Reports") | {"description": "With the invoice of a month."},
            idea("both", "Invoice per invoice run") | {"description": "One invoice each."},
        ]
    )
    browser = await signed_in(world)
    await browser.post("/ideas/IDEA-2/vote", {"vote": "1"})
    page = (await browser.get("/?q=invoice")).text
    assert titles(page) == ["Invoice per invoice run", "Invoice layout", "Reports"]
    assert '<option value="">Best match</option>' in page
    assert titles((await browser.get("/?q=invoice&sort=votes")).text)[0] == "Reports"
    assert titles((await browser.get("/?q=invoice&sort=newest")).text)[0] == "Invoice per invoice run"
    assert "Best match" not in (await browser.get("/")).text


async def test_trending_counts_the_votes_of_the_last_thirty_days(world: PortalWorld) -> None:
    await world.add(ideas=[idea("old", "Old favourite"), idea("new", "New favourite"), idea("none", "Not yet")])
    for number in (1, 1, 2):
        await (await signed_in(world)).post(f"/ideas/IDEA-{number}/vote", {"vote": "1"})
    await world.rows(
        """UPDATE portal_votes AS v SET created_at = v.created_at - interval '31 days' FROM ideas AS i
            WHERE v.workspace_id = $1 AND i.workspace_id = $1 AND i.id = v.idea_id AND i.number = 1"""
    )
    assert await names_found(world, "") == ["Old favourite", "New favourite", "Not yet"]
    assert await names_found(world, "sort=trending") == ["New favourite", "Old favourite", "Not yet"]


async def test_a_portal_without_ideas_offers_no_filters(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Hidden", visible=False)])
    browser = await signed_in(world)
    page = (await browser.get("/")).text
    assert "There are no ideas here yet." in page
    assert 'role="search"' not in page
    found = (await browser.get("/?q=hallo", **{"Accept-Language": "de"})).text
    assert 'role="search"' in found
    assert "„hallo“" in found


async def test_an_empty_list_says_whether_filters_are_the_reason(world: PortalWorld) -> None:
    labels = [{"label": "New"}, {"label": "Planned"}]
    await world.add(ideaStatuses=labels, ideas=[idea("a", "Wagenstand", status="New")])
    browser = await signed_in(world)
    assert "No idea matches “zzzz”." in (await browser.get("/?q=zzzz")).text
    assert "No idea with these filters matches “wagen”." in (await browser.get("/?q=wagen&status=Planned")).text


async def test_a_status_is_a_filter_under_the_name_that_customers_read(world: PortalWorld) -> None:
    await world.add(
        ideaStatuses=[
            {"label": "New", "portal": {"name": "Collecting votes"}},
            {"label": "Triage", "portal": {"name": "Collecting votes"}},
            {"label": "Doing"},
            {"label": "Secret", "portal": {"shown": False}},
        ],
        ideas=[
            idea("a", "Alpha", status="New"),
            idea("b", "Beta", status="Triage"),
            idea("c", "Gamma", status="Doing"),
            idea("d", "Delta", status="Secret"),
        ],
    )
    browser = await signed_in(world)
    page = (await browser.get("/")).text
    options = re.findall(r'<option value="([^"]*)"[^>]*>', page.partition('name="status"')[2].partition("</select>")[0])
    assert options.count("Collecting votes") == 1
    assert {"", "Doing"} < set(options)
    assert not {"New", "Triage", "Secret"} & set(options)
    assert titles((await browser.get("/?status=Collecting+votes")).text) == ["Beta", "Alpha"]
    assert titles((await browser.get("/?status=Doing&q=gam")).text) == ["Gamma"]
    assert len(titles((await browser.get("/?status=Secret")).text)) == 4, "no filter of this portal"


async def test_a_choice_sent_by_a_script_gets_the_ideas_and_their_number(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Alpha"), idea("b", "Beta")])
    browser = await signed_in(world)
    page = (await browser.get("/")).text
    assert 'hx-trigger="change" hx-include="closest form" hx-target="#found"' in page
    answer = await browser.get("/?q=alp&sort=newest", HX_Request="true")
    assert answer.headers["hx-reswap"] == "innerHTML"
    assert titles(answer.text) == ["Alpha"]
    assert '<p id="total" role="status" hx-swap-oob="innerHTML">1 idea' in answer.text
    assert "<html" not in answer.text


@pytest.mark.parametrize(
    ("description", "q", "shown"),
    [
        ("# Big\n\n**Bold**, _soft_ and `code`.\n\n- one\n- two", "", "Big Bold, soft and code. one two"),
        ("[Manual](https://m.test) ![i](x.png)", "", "Manual"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "", "a b 1 2"),
        ("<b>5 < 6</b> & more", "", "&lt;b&gt;5 &lt; 6&lt;/b&gt; &amp; more"),
        ("Say <b>ex</b>", "ex", "Say &lt;b&gt;<mark>ex</mark>&lt;/b&gt;"),
        ("Word " * 200 + "needle in hay", "needle", "… "),
    ],
)
async def test_lists_show_plain_text_around_what_was_found(
    world: PortalWorld, description: str, q: str, shown: str
) -> None:
    await world.add(ideas=[idea("md", "Markdown") | {"description": description}])
    browser = await signed_in(world)
    page = (await browser.get(f"/?q={quote(q)}")).text
    text = page.partition('<p class="text" dir="auto">')[2].partition("</p>")[0]
    assert text.startswith(shown) if shown == "… " else text == shown
    assert q != "needle" or "<mark>needle</mark> in hay" in text


def test_the_longest_word_of_a_place_is_marked_and_parts_only_of_words_that_have_them() -> None:
    pattern = Search({"plan": [], "planung": [], "verkehr": ["nahverkehr"], "ver": []}).pattern
    assert pattern.findall("Planungen, Stadtplan, plan_1") == ["Planung", "plan"]
    assert pattern.findall("Nahverkehr und Verkehr, zuverlässig verlässlich") == ["verkehr", "Verkehr", "ver"]
    nested = Search({"a" * length: ["baaaaa"] if length == 5 else [] for length in (2, 3, 5, 7)}).pattern
    assert nested.findall("aaaaaaaa baa _aaa baaaaa aaaa") == ["aaaaaaa", "aaa", "aaaaa", "aaa"]


async def test_searches_at_the_same_time_load_the_known_words_once(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Fahrplan"), idea("b", "Fahrplan und Anschluss")])
    words = TitleWords()
    loaded = await asyncio.gather(*(words.of(world.database, world.workspace_id) for _ in range(10)))
    assert len(set(map(id, loaded))) == 1
    assert loaded[0].counts == {"fahrplan": 2, "anschluss": 1, "und": 1}


async def test_of_long_words_the_beginnings_are_known(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Export " + "x" * 900)])
    known = await TitleWords().of(world.database, world.workspace_id)
    assert set(known.counts) == {"export", "x" * 43}
    assert await names_found(world, f"q={'x' * 50}") == ["Export " + "x" * 900]


async def test_searches_leave_connections_for_others(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Export tables")])
    people = [await signed_in(world) for _ in range(3)]
    async with world.database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE idea_words")  # which only searches read
        searches = [asyncio.create_task(one.get("/?q=tables")) for one in people * 5]
        looking = [asyncio.create_task(one.get("/request/similar?title=tables")) for one in people]
        await until_blocked(world.database)
        assert [(await world.client.get("/ideas?limit=1")).status_code for _ in range(5)] == [200] * 5
        assert (await people[0].get("/")).status_code == 200
    assert {answer.status_code for answer in await asyncio.gather(*searches, *looking)} == {200}


async def test_a_portal_without_ideas_knows_no_words(world: PortalWorld) -> None:
    assert (await TitleWords().of(world.database, world.workspace_id)).counts == {}


@pytest.mark.parametrize("q", ["'", "a'b", "o''clock", "\\", "(((", "stunde:*", "a|b", "!", "&&", "%", "_____"])
async def test_signs_of_a_query_language_are_no_query(world: PortalWorld, q: str) -> None:
    await world.add(ideas=[idea("a", "O'clocks Stundenplan (a|b)")])
    browser = await signed_in(world)
    assert (await browser.get(f"/?q={quote(q)}&sort=trending")).status_code == 200


async def test_at_most_fifty_matches_of_a_text_are_marked(world: PortalWorld) -> None:
    await world.add(ideas=[{"key": "i", "name": "q " * 490, "description": "Text", "portalVisible": True}])
    browser = world.browser()
    await world.sign_in(browser)
    page = (await browser.get("/?q=q")).text
    assert page.count("<mark>") == 50
    assert "q " * 440 in page


async def test_words_are_corrected_by_the_first_150_characters_of_titles(world: PortalWorld) -> None:
    await world.add(ideas=[idea("a", "Fahrplan"), idea("b", "x" * 160 + " Anschluss")])
    counts = (await TitleWords().of(world.database, world.workspace_id)).counts
    assert "fahrplan" in counts
    assert "anschluss" not in counts
