"""The category of a sentence by its cues: English ones well, German ones fairly, other languages not at all."""

import re
from typing import Final

from sightline.intelligence.evidence import Category


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


def _cues(*patterns: str) -> re.Pattern[str]:
    """Returns a pattern of whole words in any letter case. A straight apostrophe also matches a typeset one."""
    alternatives = "|".join(patterns).replace("'", "['\u2019]")
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)


_ASKED_OF_US: Final = _any(
    "add allow bring build change consider enable fix give implement improve include introduce let make offer provide"
    " support"
)
_GOOD: Final = _any(
    "amazing awesome brilliant excellent fantastic flawless flawlessly great helpful impressive intuitive outstanding"
    " perfect perfectly superb wonderful"
)
_WELCOME: Final = _any(
    "amazing awesome better cool fantastic good great handy helpful ideal lovely nice perfect useful"
)
_BETTER: Final = _any("better cheaper clearer easier faster improved quicker shorter simpler smoother")
_PEOPLE: Final = _any("i we they users customers people everyone everybody")

_REQUEST: Final = _cues(
    rf"(?:could|can|would) you (?:please |maybe |also )?{_ASKED_OF_US}",
    rf"please {_ASKED_OF_US}",
    rf"{_PEOPLE}(?:(?:'d| would) (?:really |also |just |all )?(?:love|like|prefer)"
    r"|(?:'d| would)? (?:really |also |just |all )?(?:want|wish|need|hope))"
    r" (?:to|for|that|it if|if|you|a|an|the|some|more|better|this)",
    r"(?:i|we)(?:'d| would) (?:really |also )?(?:love|appreciate|welcome|suggest)",
    rf"would be (?:\w+ )?{_WELCOME}",
    rf"(?:could|should|needs to) be (?:\w+ )?{_BETTER}",
    r"would (?:help|make (?:it|our|my|a)|save)",
    r"(?:is|are) there (?:a|any) (?:way|chance|option|plans?)",
    r"any (?:chance|plans?) (?:of|to|for)",
    r"(?:feature|enhancement) request",
    r"wish ?list",
    r"if only",
    r"(?:must|should|ought to) (?:be able|have|let|allow|support|offer|also)",
    r"(?:you|it|there) should",
    r"(?:i|we) (?:wish|need|want|require|suggest)",
    r"(?:wants|needs|asks for|asked for|asking for|requested|requires)",
    r"(?:my|our) (?:wish|request|suggestion) (?:is|would be)",
    r"könn(?:t|tet|ten) (?:ihr|sie)",
    r"(?:wäre|wär) (?:\w+ )?(?:schön|toll|super|gut|hilfreich|klasse|praktisch|wünschenswert|besser)",
    r"(?:ich|wir) (?:wünsche?n?|brauchen?|bräuchten?|benötigen?|hätten? gerne?|würden? gerne?|möchten?)",
    r"gibt es (?:eine|die) möglichkeit",
    r"bitte (?:baut|ergänz|füg|ermöglich|verbesser|mach)\w*",
    r"wünschenswert",
)
_PROBLEM: Final = _cues(
    r"(?:can|could|do|does|did|is|are|was|were|has|have|had|would|will|should)(?:n't| not) (?!only|just|mind)\w+",
    _any("cannot can't won't dont doesnt didnt cant wont isnt"),
    r"(?:unable|not able) to",
    r"no (?:way|option|possibility) to",
    r"(?:has|have|find|finds|found|shows?|gets?|got) (?:no|nothing)",
    r"never (?:\w+ )?(?:finds?|works?|worked|loads?|loaded|arrives?|arrived|shows?|syncs?|saves?|saved|gets?|got|know)",
    r"fail(?:s|ed|ing|ures?)?",
    r"crash(?:es|ed|ing)?",
    r"freez(?:e|es|ing)",
    r"breaks?",
    _any("impossible errors? bugs? buggy broken froze hangs? glitch glitches glitchy stuck unusable useless blocker"),
    r"slow(?:ly|er)?",
    r"time[sd]? ?out",
    r"timeouts?",
    r"lag(?:s|gy)?",
    r"takes? (?:\w+ ){0,3}(?:too long|forever|ages|minutes|hours|days|weeks)",
    r"too (?:long|many|much|few|hard|difficult|complicated|complex|expensive|slow|small|often|late)",
    r"confus(?:ing|ed|es)",
    r"(?:frustrat|annoy|struggl|complain|disappoint|overwhelm)\w*",
    r"pain(?:ful|point)?s?",
    r"difficult(?:y|ies)?",
    r"hard to",
    _any("unclear cumbersome tedious clunky clumsy"),
    r"(?:main|biggest|real|only|big|another|the) (?:problem|issue|concern|challenge)s?",
    r"issues? (?:with|is|are)",
    r"(?:i|we|they|it) (?:always |often |sometimes |keep |kept )?(?:lose|lost|losing|miss(?:ed|es)?)",
    r"(?:is|are|was|were|went|goes|gone) (?:missing|lost|wrong|down|unreliable|inconsistent)",
    r"work ?arounds?",
    r"have to (?:\w+ )?(?:manually|re-?enter|copy|restart|redo|repeat|retype|reload|refresh|export|start again)",
    r"(?:by hand|manually)",
    r"keeps? \w+ing (?:me|us) out",
    _any("worse worst terrible awful bad badly poor poorly horrible waste wasted duplicates? hate"),
    r"(?:churn|cancel)(?:s|ed|ing|led|ling)?",
    r"funktionier\w* nicht",
    r"(?:geht|kann|können|lässt|lassen|klappt|läuft|stimmt|finde|sehe) (?:\w+ ){0,4}nicht",
    r"fehler(?:meldung)?(?:en)?",
    r"abstür\w*",
    r"(?:nerv|problem|schlecht)\w*",
    r"dauert (?:\w+ ){0,3}(?:lange|ewig|minuten|stunden|tage)",
    r"zu (?:lange|viele|wenig|teuer|kompliziert|langsam)",
    r"nicht möglich",
    _any(
        "fehlt fehlen langsam stürzt leider umständlich mühsam unübersichtlich verwirrend ärgerlich schwierig"
        " unbrauchbar hängt"
    ),
)
_PRAISE: Final = _cues(
    rf"(?:{_PEOPLE}|(?:my|our|the) \w+)(?: \w+)? (?:really |absolutely |just |all )?(?:love[sd]?|adore|enjoy(?:ed|s)?)",
    r"love (?:it|this|that|the|how|your)",
    r"loving it",
    r"(?:really|very|pretty|quite) (?:good|great|helpful|useful|happy|nice|easy|impressed|intuitive|fast|quick)",
    rf"(?:is|are|was|were|it's|looks?|works?|been) (?:\w+ )?{_GOOD}",
    rf"{_GOOD} (?:app|product|tool|support|service|feature|work|job|team|update|experience|software|release)",
    r"works? (?:\w+ )?(?:well|like a charm|as expected|smoothly|nicely)",
    r"(?:easy|simple|fast|quick) to (?:use|learn|set up|navigate|understand|find)",
    r"(?:solid|good|nice|handy) (?:app|product|tool|support|service|feature|software)",
    r"user[- ]friendly",
    r"sav(?:es?|ed|ing) (?:me|us|our|my|a lot|so much|hours|time|about|at least)",
    r"(?:game ?changer|life ?saver|highly recommend|(?:would|can) recommend)",
    r"(?:so|very|really) (?:happy|pleased|glad|satisfied|impressed)",
    r"(?:happy|pleased) with",
    r"impressed (?:by|with)",
    r"best (?:\w+ ){0,3}(?:app|tool|product|software|ever|decision|part)",
    r"(?:i|we) (?:really )?like (?:how|that|the|it|this|your)",
    _any("great excellent awesome fantastic kudos"),
    r"(?:well done|five stars)",
    r"(?:sehr|wirklich|echt|richtig) (?:gut|toll|schön|hilfreich|praktisch|zufrieden|einfach|übersichtlich)\w*",
    r"gefällt (?:mir|uns)",
    r"(?:toll|empfehl)\w*",
    r"spart (?:uns|mir)",
    _any("begeistert klasse super perfekt zufrieden hilfreich"),
)
_OWN: Final = _cues(
    _any("i i'm i've we we're we've our ours my us ich wir uns"),
    r"(?:unser|mein)\w*",
    r"(?:they|the customer|customers)",
)
_USAGE: Final = _cues(
    r"(?:we|i|they)(?:'re| are|'m| am|'ve got| have) (?:\w+ ){0,3}"
    r"(?:an?|about|around|over|roughly|more than|\d+|using|responsible|running|working|based|in charge)",
    r"(?:we|i|they) (?:\w+ )?(?:use|used|run|manage|handle|process|track|sell|serve|operate|migrated|switched|moved"
    r"|started|work|export|import|report)",
    r"(?:our|my) (?:team|company|customers?|clients?|users|workflow|process|role|job|business|department"
    r"|organi[sz]ation|setup|stack|budget)",
    r"(?:every|each|per|once a|twice a|times a) (?:day|week|month|quarter|year|morning|monday|friday|sprint)",
    r"(?:daily|weekly|monthly|quarterly|on average)",
    r"(?:wir|ich) (?:nutzen?|verwenden?|arbeiten?|sind|haben|betreiben?|bin)",
    r"(?:jede[nrs]?|pro) (?:tag|woche|monat|quartal|jahr)",
    r"(?:täglich|wöchentlich|monatlich)",
)
_TURN: Final = re.compile(
    r"(?:^|[,;.] |\s)(?:but|however|although|though|except(?: that)?|aber|jedoch|allerdings)\s", re.IGNORECASE
)
_UNREAL: Final = re.compile(
    r"\b(?:would|could|wäre|wär|not|n['\u2019]t|never|nicht|hardly|kaum|less)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)
_NO_PROBLEM: Final = re.compile(
    r"\b(?:no|without|any|zero|never had|keine?|ohne)\s+(?:\w+\s+)?"
    r"(?:problems?|issues?|errors?|complaints?|bugs?|fehler|probleme?)\b"
    r"|\b(?:can(?:no|['\u2019])t|couldn['\u2019]t) (?:complain|wait|live without|imagine)\b"
    r"|\bno longer\b.{0,40}\b(?:slow|crash|fail)\w*",
    re.IGNORECASE,
)

_FEWEST_WORDS: Final = 3
_FEWEST_WORDS_OF_CONTEXT: Final = 6
_QUESTION_MARKS: Final = ("?", "\uff1f")


def is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'\u201d\u2019) ").endswith(_QUESTION_MARKS)


def category_of(sentence: str) -> Category | None:
    """Returns None without a cue. The part after a "but" has precedence."""
    parts = _TURN.split(sentence)
    for part in (parts[-1], sentence) if len(parts) > 1 else (sentence,):
        if found := _by_cues(part, asks=is_question(sentence)):
            return found
    return None


def _by_cues(text: str, *, asks: bool) -> Category | None:
    words = len(text.split())
    if words < _FEWEST_WORDS:
        return "praise" if words == _FEWEST_WORDS - 1 and _praises(text) else None
    if _REQUEST.search(text):
        return "request"
    if _PROBLEM.search(_NO_PROBLEM.sub(" ", text)):
        return "problem"
    if asks:
        return "question"
    if _praises(text):
        return "praise"
    if words >= _FEWEST_WORDS_OF_CONTEXT and _OWN.search(text) and _USAGE.search(text):
        return "context"
    return None


def _praises(text: str) -> bool:
    return any(not _UNREAL.search(text[: found.start()]) for found in _PRAISE.finditer(text))
