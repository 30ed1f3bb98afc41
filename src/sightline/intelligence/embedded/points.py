"""What a description of an idea should say, and the words by which one sees that it does."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from sightline.intelligence.embedded.vocabulary import word_set


class Clue(Enum):
    """What answers a point besides words: see `clues.py`."""

    PEOPLE = auto()
    RATE = auto()
    LIMIT = auto()


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
    said_by_clue: Clue | None = None


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
        said_by_clue=Clue.PEOPLE,
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
        said_by_clue=Clue.RATE,
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
        said_by_clue=Clue.LIMIT,
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
