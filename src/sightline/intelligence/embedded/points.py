"""What a description of an idea should say, and the words by which one sees that it does."""

from dataclasses import dataclass
from typing import Final

from sightline.intelligence.embedded.vocabulary import word_set


@dataclass(frozen=True, slots=True)
class Point:
    """A thing worth knowing. `said_by` words answer it, `touched_by` words come near without saying it.

    The closer question is asked where a word comes near: `{word}`, as the description has it.
    """

    question: str
    closer_question: str
    reasoning: str
    unsaid: str
    said_by: frozenset[str]
    touched_by: frozenset[str]
    said_by_number: bool = False


POINTS: Final = (
    Point(
        question="who is affected, and who is not?",
        closer_question="The description speaks of “{word}”: which of them exactly, and how many are they?",
        reasoning="Who is affected decides whose evidence counts and how much the idea is worth.",
        unsaid="The description does not say who is affected.",
        said_by=word_set("""
            accountant accountants admin admins administrator administrators agent agents analyst analysts approver
            approvers auditor auditors beginner beginners buyer buyers candidates contractor contractors designer
            designers developer developers doctor doctors driver drivers editor editors engineer engineers engineering
            enterprise finance freelancer freelancers guest guests hr lawyer lawyers leads manager managers marketing
            marketers merchant merchants newcomers nurse nurses operator operators owner owners parents partners patient
            patients planner planners recruiter recruiters researcher researchers reviewer reviewers sales salespeople
            seller sellers shopper shoppers startups student students subscriber subscribers teacher teachers technician
            technicians tester testers traveller travellers viewers visitor visitors volunteers
        """),
        touched_by=word_set("""
            clients colleagues companies customer customers employees everybody everyone members
            organisations organizations people someone staff team teams tenants user users workspaces
        """),
    ),
    Point(
        question="what do people do today instead?",
        closer_question="The description says “{word}”: what exactly do people do instead, and what does it cost them?",
        reasoning="The way around it shows how strong the need is and what a solution has to beat.",
        unsaid="The description does not say what people do today.",
        said_by=word_set("""
            currently excel manually nowadays presently screenshot screenshots sheets spreadsheet spreadsheets today
            workaround workarounds copying pasting retype retyping
        """),
        touched_by=word_set("""
            can't cannot cant fails impossible lacks lose loses losing missing slow still struggle struggling stuck
            unable confusing broken difficult hard tedious annoying cumbersome
        """),
    ),
    Point(
        question="how often does this come up, and for how many people?",
        closer_question="The description says “{word}”: how many times a week is that, and for how many people?",
        reasoning="How often it happens decides whether the idea comes before others.",
        unsaid="The description does not say how often this happens.",
        said_by=word_set(
            "daily hourly weekly monthly quarterly yearly nightly once twice percent dozens hundreds thousands"
        ),
        touched_by=word_set("""
            always again constantly each every few frequent frequently frequently most many never numerous occasionally
            often rarely regularly repeatedly several sometimes usually
        """),
        said_by_number=True,
    ),
    Point(
        question="how will one see that it works, by which figure?",
        closer_question="The description wants it “{word}”: by which figure would one see that?",
        reasoning="Without a measure nobody can say later whether the idea was worth it.",
        unsaid="The description does not say how success is measured.",
        said_by=word_set("""
            adoption churn conversion decrease decreases goal goals increase increases kpi kpis measure measured metric
            metrics nps objective okr outcome reduce reduces reducing retention revenue success target targets
        """),
        touched_by=word_set("""
            better cheaper clearer cleaner convenient easier easily efficient faster fewer help helps improve improved
            improves intuitive less more nicer quicker quickly reliable safer save saves seamless simpler smoother
        """),
    ),
    Point(
        question="by when is it needed, and which rules must it respect?",
        closer_question="The description says “{word}”: by when is it needed, and what happens without it?",
        reasoning="A date or a rule to respect can rule solutions out and change the order of work.",
        unsaid="The description names no date, priority or constraint.",
        said_by=word_set("""
            accessibility audit blocker budget compliance compliant contract contractual deadline gdpr hipaa iso january
            february march april june july august september october november december law legal legally mandatory
            priority q1 q2 q3 q4 quarter regulation regulations regulatory renewal sla soc2 urgent urgently wcag
        """),
        touched_by=word_set("""
            asap blocks blocked blocking critical crucial essential eventually important later must needed required
            requires security soon secure
        """),
    ),
)

# A sentence with one of these is not settled yet.
HEDGES: Final = word_set("""
    maybe perhaps possibly probably presumably might tbd tba tbc unclear unsure undecided unknown somehow whatever
    something etc various
""")
HEDGING_PAIRS: Final = frozenset({
    ("not", "sure"), ("not", "clear"), ("not", "decided"), ("don't", "know"), ("be", "decided"), ("be", "defined"),
    ("be", "discussed"), ("be", "confirmed"), ("open", "question"), ("so", "on"), ("could", "also"),
})  # fmt: skip

# Questions that begin so want an answer; others ("could you add ...?") are requests.
ASKING_WORDS: Final = word_set("""
    who whom whose what when where which why how should shall do does did is are was were will has have
""")
PERIODS: Final = word_set("""
    minute minutes hour hours day days week weeks month months quarter quarters year years time times users customers
    people accounts requests tickets teams percent orders calls
""")
