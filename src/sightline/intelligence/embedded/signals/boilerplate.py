"""Parts of messages without a statement: headers, quoted replies, signatures, notices, greetings."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sightline.intelligence.embedded.signals.lines import Line

_BOUNDED: Final = 300

_QUOTED = re.compile(r"\s*(?:>(?!=?\d)|\|)")
_HEADER = re.compile(
    r"\s*(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum|ticket|case|priority|assignee"
    r"|requester|status|channel|attachments?)\s?:.*",
    re.IGNORECASE,
)
_WROTE = re.compile(r"\s*(?:on|am|le|el)\b.{3,120}(?:wrote|schrieb|écrit|escribió)\b.*:\s*", re.IGNORECASE)
_OLDER = re.compile(
    r"\s*[-_]{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht)"
    r"\s*[-_]{2,}\s*",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"--\s?|_{5,}|-{5,}")
_SIGN_OFF = re.compile(
    r"\s*(?:(?:with |mit )?(?:best|kind|kindest|warm|many|freundlichen?|freundliche|viele|herzliche|liebe|beste|schöne)"
    r"\s+(?:regards|wishes|thanks|grüßen?|grüsse|grüße|gruß)|regards|cheers|sincerely|yours (?:truly|sincerely)"
    r"|best|thanks|thank you|many thanks|thanks (?:a lot|again|in advance|so much)|danke|vielen dank|lg|mfg|vg|br)"
    r"\s*[,.!]*\s*",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"sent from my |gesendet von meinem |get outlook for|unsubscribe|abbestellen|view (?:this|it) in (?:your|a) browser"
    r"|confidential|vertraulich|intended (?:only |solely )?for the (?:use of the )?(?:addressee|recipient|individual)"
    r"|do not reply|nicht auf diese|automat(?:ed|ic) (?:message|reply|response|notification)|automatische antwort"
    r"|out of (?:the )?office|all rights reserved|privacy policy|terms of service|please type your reply above"
    r"|this (?:call|meeting|conversation) (?:is being|will be|may be) recorded"
    r"|ticket (?:has been|was) (?:created|updated)"
    r"|your request \(?#?\d|has been received and is being reviewed",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\s*(?:(?:https?://|www\.)\S+|\S+@\S+\.\w+|[+(]?\d[\d ()/.-]{6,}\d|#\S+)\s*", re.IGNORECASE)

_SIGNATURE_LINES: Final = 8
_TO_THE_END: Final = 1 << 40


def without_boilerplate(lines: Iterable[Line], text_of: Callable[[Line], str]) -> Iterator[Line]:
    """Returns the relevant lines. A quoted older message is left out to its end, a signature for eight lines."""
    turn: int | None = None
    left_out = 0
    for line in lines:
        text = text_of(line)[:_BOUNDED].rstrip()
        if line.turn != turn:
            turn, left_out = line.turn, 0
        if _OLDER.fullmatch(text):
            left_out = _TO_THE_END
        if left_out:
            left_out -= 1
        elif _SIGNATURE.fullmatch(text) or _SIGN_OFF.fullmatch(text):
            left_out = _SIGNATURE_LINES if line.speaker is None or line.turn is not None else 0
        elif not _says_nothing(text):
            yield line


def _says_nothing(text: str) -> bool:
    patterns = (_QUOTED.match, _HEADER.fullmatch, _WROTE.fullmatch, _NOTICE.search, _ADDRESS.fullmatch)
    return any(matches(text) for matches in patterns)


_SMALL_TALK = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|hallo|liebe[rs]?|guten (?:tag|morgen|abend)|good (?:morning|afternoon|evening)|moin)\b"
    r"(?:\W+\w+){0,4}"
    r"|(?:many |vielen |herzlichen )?(?:thanks|thank you|danke|dank)\b(?:\W+(?!but|aber)\w+){0,8}"
    r"|(?:how are you|how is it going|how's it going|wie geht)\b.*"
    r"|(?:can|could) (?:you|everyone|everybody) (?:hear|see) (?:me|my screen|us)\b.*"
    r"|(?:let me|i'?ll|i will) (?:just )?(?:share|stop sharing|record|start the recording|mute|unmute)\b.*"
    r"|(?:you'?re|you are) (?:on mute|muted|welcome)\b.*"
    r"|(?:nice|good|great|lovely) to (?:meet|see|hear|talk)\b.*"
    r"|(?:i )?hope (?:you|this|all|everything)\b(?:\W+\w+){0,9}"
    r"|(?:have a|enjoy) (?:nice|great|good|lovely|your)?\b(?:\W+\w+){0,6}"
    r"|(?:talk|speak|see you|bye|goodbye|take care|tschüss|bis)\b(?:\W+\w+){0,5}"
    r"|(?:yes|yeah|yep|no|nope|ok|okay|sure|right|exactly|absolutely|got it|makes sense|sounds good|uh|um|mhm|genau|ja"
    r"|nein)"
    r"(?:\W+\w+){0,3}"
    r"|(?:looking forward|please (?:let (?:me|us) know|find attached|see (?:below|attached)))\b.*"
    r"|(?:any|does anyone have(?: any)?) (?:other )?questions(?: so far)?"
    r"|(?:shall|should) we (?:start|begin|get started|wait|wrap up)\b.*)\W*",
    re.IGNORECASE,
)


def is_small_talk(sentence: str) -> bool:
    return _SMALL_TALK.fullmatch(sentence) is not None
