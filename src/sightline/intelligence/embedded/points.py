"""What a description of an idea should say, and how one sees that it does."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from sightline.intelligence.embedded.sentences import Sentence
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS, word_set

# People are named by what they do: pickers, operators, dentists, trainees, librarians, accountants.
_ENDINGS: Final = ("ers", "ors", "ists", "ees", "ians", "eurs", "smen", "women", "ants")
_SHORTEST_PERSON: Final = 6
_NO_PEOPLE: Final = word_set("""
    adapters answers attachers banners barriers behaviors blockers boilers borders browsers buffers chapters
    charters clusters colors committees computers connectors constants consumers containers converters cookers
    copiers corners corridors counters covers decorators degrees dividers drawers elephants errors factors
    favors filters fingers floors flowers folders footers freezers guarantees gutters headers indicators
    instants iterators lasers layers letters levers loaders meters mirrors monitors motors numbers offers orders
    papers parameters parsers plants pointers posters powers printers processors projectors quarters
    refrigerators registers reminders renders restaurants rollers routers rulers scanners selectors sensors
    separators servers shutters sliders spinners stickers sweaters switchers timers toasters towers trackers
    trailers transfers transformers triggers validators variants vectors wallpapers waters wrappers
""")
_NAMED_PEOPLE: Final = word_set("""
    admin admins agents analyst analysts apprentices architects auditor candidates chefs chief chiefs children clerk
    clerks cooks crew crews doctor executives experts guest guests guides hosts interns kids mechanic mechanics
    merchant nurse nurses owner partner patient patients pilots planner recruiter reps residents shopper student
    students vets volunteer
""")
# These may be anybody.
_ANYBODY: Final = word_set(
    "clients colleagues companies employees members organisations organizations tenants workspaces"
)
# Only people do these: what comes before them is who is affected.
_DEEDS: Final = word_set("""
    ask asked asks complain complained complains forget forgets guess hate hates learn prefer quit retype retypes
    struggle struggles wait waits want wants waste wastes worry
""")

_PERIODS: Final = word_set("""
    minute minutes hour hours day days week weeks month months quarter quarters year years time times users customers
    people accounts requests tickets teams percent orders calls shift shifts
""")
_WEEKDAYS: Final = word_set("monday tuesday wednesday thursday friday saturday sunday morning evening night")
_NUMBERS: Final = word_set("""
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand
    dozen
""")
_EACH: Final = word_set("every per each")
_BOUNDS: Final = word_set("below under within beneath than least most above to from")


class Words(NamedTuple):
    """The distinct words of a text, and those pairs of following words that can be part of a clue."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    has_percent: bool


def has_people(text: Words) -> bool:
    """Whether people are named by what they do: "pickers", "the mechanics wait"."""
    if any(map(_is_person, text.words)):
        return True
    if _DEEDS.isdisjoint(text.words):
        return False
    return any(deed in _DEEDS and _is_plural(doer) for doer, deed in text.pairs)


@lru_cache(maxsize=20_000)
def _is_person(word: str) -> bool:
    """Whether a word names people by what they do, mostly in the plural."""
    if word in _NAMED_PEOPLE:
        return True
    if len(word) < _SHORTEST_PERSON or not word.endswith(_ENDINGS):
        return False
    return word not in _NO_PEOPLE and _is_telling(word)


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and _is_telling(word)


def _is_telling(word: str) -> bool:
    return word not in _ANYBODY and word not in STOP_WORDS and word not in GENERIC_WORDS


def has_rate(text: Words) -> bool:
    """Whether something is counted: 30 tickets, 5 %, every week, on a Monday."""
    if text.has_percent and any(map(str.isdecimal, text.words)):
        return True
    if _PERIODS.isdisjoint(text.words) and _WEEKDAYS.isdisjoint(text.words):
        return False
    return any(_is_rate(first, second) for first, second in text.pairs)


def _is_rate(first: str, second: str) -> bool:
    if second in _PERIODS:
        return first in _EACH or _is_number(first)
    return second in _WEEKDAYS and (first in _EACH or first == "on")


def has_limit(text: Words) -> bool:
    """Whether a figure is to be reached: below 10 %, within 2 minutes, from 40 to 10."""
    if _BOUNDS.isdisjoint(text.words):
        return False
    return any(first in _BOUNDS and _is_number(second) for first, second in text.pairs)


def _is_number(word: str) -> bool:
    return word in _NUMBERS or word.isdecimal()


@dataclass(frozen=True, slots=True)
class Point:
    """A point that a description should cover. `said_by` words, pairs and clues answer it.

    `touched_by` words come only close: the closer question is asked, with the word as `{word}`.
    """

    question: str
    closer_question: str
    reasoning: str
    said_by: frozenset[str]
    said_by_pairs: frozenset[tuple[str, str]]
    touched_by: frozenset[str]
    said_by_clue: Callable[[Words], bool] | None = None


def _pairs(pairs: str) -> frozenset[tuple[str, str]]:
    return frozenset((first, second) for first, second in (pair.split() for pair in pairs.split(",")))


POINTS: Final = (
    Point(
        question="who is affected, and who is not?",
        closer_question="The description speaks of “{word}”: which of them exactly, and how many are they?",
        reasoning="Who is affected decides whose evidence counts and how much the idea is worth.",
        said_by=word_set("engineering enterprise finance hr leads marketing parents procurement sales startups"),
        said_by_pairs=_pairs("front desk,night shift,back office,field staff,new hires,call centre,call center"),
        touched_by=word_set("""
            clients colleagues companies customer customers employees everybody everyone members
            organisations organizations people someone staff team teams tenants user users workspaces
        """),
        said_by_clue=has_people,
    ),
    Point(
        question="what do people do today instead?",
        closer_question="The description says “{word}”: what exactly do people do instead, and what does it cost them?",
        reasoning="The way around it shows how strong the need is and what a solution has to beat.",
        said_by=word_set("""
            currently excel manually nowadays paper post-its presently screenshot screenshots sheets spreadsheet
            spreadsheets today whiteboard workaround workarounds copying pasting retype retypes retyping
        """),
        said_by_pairs=_pairs(
            "by hand,by phone,by email,by mail,right now,the moment,for now,until now,so far,one by,copy and,to copy"
        ),
        touched_by=word_set("""
            can't cannot cant fails impossible lacks lose loses losing missing slow still struggle struggling stuck
            unable confusing broken difficult hard tedious annoying cumbersome
        """),
    ),
    Point(
        question="how often does this come up, and for how many people?",
        closer_question="The description says “{word}”: how many times a week is that, and for how many people?",
        reasoning="How often it happens decides whether the idea comes before others.",
        said_by=word_set("""
            daily hourly weekly monthly quarterly yearly nightly twice percent dozens hundreds thousands
            mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends
        """),
        said_by_pairs=_pairs("once a,once per,once every,each time,every time,month end,year end,all day"),
        touched_by=word_set("""
            always again constantly each every few frequent frequently many never numerous occasionally
            often rarely regularly repeatedly several sometimes usually
        """),
        said_by_clue=has_rate,
    ),
    Point(
        question="how will one see that it works, by which figure?",
        closer_question="The description wants it “{word}”: by which figure would one see that?",
        reasoning="Without a measure the result of the idea cannot be judged later.",
        said_by=word_set("""
            adoption churn conversion decrease decreases goal goals halve increase increases kpi kpis measure measured
            metric metrics nps objective okr outcome reduce reduces reducing retention revenue success target targets
        """),
        said_by_pairs=_pairs("half the,error rate,success rate,response time,waiting time"),
        touched_by=word_set("""
            better cheaper clearer cleaner convenient easier easily efficient faster fewer helps improve improved
            improves intuitive less nicer quicker quickly reliable safer save saves seamless simpler smoother
        """),
        said_by_clue=has_limit,
    ),
    Point(
        question="by when is it needed, and which rules must it respect?",
        closer_question="The description says “{word}”: by when is it needed, and what happens without it?",
        reasoning="A date or a rule to respect can rule solutions out and change the order of work.",
        said_by=word_set("""
            accessibility audit blocker budget compliance compliant contract contractual deadline gdpr hipaa iso january
            february april june july august september october november december law legal legally mandatory
            policy priority q1 q2 q3 q4 regulation regulations regulatory renewal sla soc2 urgent urgently wcag
        """),
        said_by_pairs=_pairs(
            "in march,by march,before march,until march,in may,by may,before may,must not,only on,this quarter,"
            "next quarter,this year,next year,by monday,by friday,offline only,must stay,must remain,must run,must work"
        ),
        touched_by=word_set("""
            asap blocks blocked blocking critical crucial essential eventually important later must needed required
            requires security soon secure
        """),
    ),
    Point(
        question="what could go wrong with it, and whom could it harm?",
        closer_question="The description says “{word}”: what could go wrong with that, and can it be undone?",
        reasoning="A known risk can be tested early; an unknown one shows after the release.",
        said_by=word_set("""
            abuse abused accident accidentally afraid concern concerned concerns danger dangerous downside drawback fear
            fears fraud harm harmful misuse mistake mistakes risk risks risky rollback tamper undo worried worry
        """),
        said_by_pairs=_pairs("go wrong,goes wrong,went wrong,side effect,side effects,must never,by mistake"),
        touched_by=word_set("""
            automatic automatically delete deletes deleting irreversible merge merges merging overwrite overwrites
            password passwords payment payments permanently personal public publicly refund refunds remove removes
        """),
    ),
)

# A sentence with one of these is uncertain.
HEDGES: Final = word_set("""
    maybe perhaps possibly probably presumably might tbd tba tbc unclear unsure undecided unknown somehow whatever
    something etc various
""")
HEDGING_PAIRS: Final = frozenset({
    ("not", "sure"), ("not", "clear"), ("not", "decided"), ("don't", "know"), ("be", "decided"), ("be", "defined"),
    ("be", "discussed"), ("be", "confirmed"), ("open", "question"), ("so", "on"), ("could", "also"),
})  # fmt: skip

# Questions that start with these need an answer; others ("could you add ...?") are requests.
ASKING_WORDS: Final = word_set("""
    who whom whose what when where which why how should shall do does did is are was were will has have
""")

# The second words of the pairs that matter.
_SECOND: Final = (_DEEDS | _PERIODS | _WEEKDAYS | _NUMBERS).union(
    second for point in POINTS for _, second in point.said_by_pairs
)


def read_words(sentences: Iterable[Sentence]) -> Words:
    """Returns the words and pairs of sentences."""
    pairs = chain.from_iterable(pairwise(words) for _, words in sentences)
    return Words(
        frozenset(chain.from_iterable(words for _, words in sentences)),
        frozenset((first, second) for first, second in pairs if second in _SECOND or second.isdecimal()),
        any("%" in text for text, _ in sentences),
    )
