"""Languages: the code of a label, the name of a code, and the language that a text is written in."""

import re
from functools import cache
from typing import Final

# ISO 639-1 code: English name, then other labels.
_LABELS: Final = {
    "ar": "arabic", "bg": "bulgarian", "ca": "catalan català", "cs": "czech čeština", "da": "danish dansk",
    "de": "german deutsch", "el": "greek", "en": "english", "es": "spanish español castilian", "et": "estonian eesti",
    "fi": "finnish suomi", "fr": "french français", "he": "hebrew", "hi": "hindi", "hr": "croatian hrvatski",
    "hu": "hungarian magyar", "id": "indonesian", "it": "italian italiano", "ja": "japanese", "ko": "korean",
    "lt": "lithuanian", "lv": "latvian", "nl": "dutch nederlands flemish", "no": "norwegian norsk nb nn bokmål nynorsk",
    "pl": "polish polski", "pt": "portuguese português", "ro": "romanian română", "ru": "russian", "sk": "slovak",
    "sl": "slovenian", "sr": "serbian", "sv": "swedish svenska", "th": "thai", "tr": "turkish türkçe",
    "uk": "ukrainian", "vi": "vietnamese", "zh": "chinese mandarin cantonese",
}  # fmt: skip
_CODES: Final = {label: code for code, labels in _LABELS.items() for label in (code, *labels.split())}
_STOP_LISTS: Final = {
    "da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch",
    "no": "Norwegian_Bokmal", "pt": "Portuguese", "sv": "Swedish",
}  # fmt: skip
# Words of questions that the stop lists lack: pronouns, how and why, and forms of must, shall, may, can and want.
_QUESTION_WORDS: Final = {
    "da": "burde bør hvem hvilke hvilken hvorfor hvornår",
    "de": "darf dürfen dürfte dürften euer ich inwiefern könnte könnten mag mich mir musst mussten muß möchte "
    "möchten mögen müssen müsste müssten sollen sollten uns unser unsere wann warum welchem welchen welcher "
    "wem wen wer weshalb wessen wieso wieviel wieviele will wir wodurch wofür woher wohin wollen wollte womit "
    "woran worauf worüber wozu würde würden",
    "es": "cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo debe deben deber debería deberían dónde ellas "
    "hacen nos nosotros nuestra nuestro podría podrían quiere quieren quién quiénes qué tú usted ustedes yo",
    "fr": "combien comment devoir devraient devrait doivent elles eux faudrait faut je moi nos notre nous pourquoi "
    "pourraient pourrait quel quelle quelles quels quoi tu veulent veut vos votre voudrait vous",
    "it": "chi cosa devono dovere dovrebbe dovrebbero essi io noi potrebbe potrebbero quanta quante quanti tu "
    "vogliono voi vuole",
    "nl": "hen hoe hoeveel ik je jij jullie mag mijn mocht moesten moeten mogen ons onze waarom wanneer we welk "
    "welke wie wiens wij wil wilde willen zouden zullen",
    "no": "burde bør hvem hvilke hvilken hvilket hvorfor",
    "pt": "devem dever deveria deveriam elas nós poderia poderiam porquê quanta quantas quantos quer querem tu "
    "você vocês",
    "sv": "borde varför vem",
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS: Final = 20
_MOST_CHARACTERS: Final = 4_000
_LEAST_SHARE: Final = 0.35  # of the words stand in the stop list of the language
_LEAST_LEAD: Final = 0.04
_FEWEST_OF_QUESTION: Final = 2  # words that stand in the stop list


def code_of(label: str | None) -> str | None:
    """The ISO 639-1 code of a label such as German, Deutsch, de or de-AT; None if it is not known."""
    words = _WORD.findall(label.lower()) if label else []
    return _CODES.get(words[0]) if words else None


def name_of(code: str) -> str:
    """The English name of a code, or the code itself."""
    return _LABELS[code].split()[0].capitalize() if code in _LABELS else code


def language_of(text: str) -> str | None:
    """The language of a text among ten common ones; None if it is short or not clear."""
    words = _WORD.findall(text[:_MOST_CHARACTERS].lower())
    if len(words) < _FEWEST_WORDS:
        return None
    shares = sorted((sum(word in stop_words(code) for word in words) / len(words), code) for code in _STOP_LISTS)
    (second, _), (first, code) = shares[-2:]
    return code if first >= _LEAST_SHARE and first - second >= _LEAST_LEAD else None


def language_of_question(text: str) -> str | None:
    """Returns the English name of the language of a short text among nine common ones; None if English is as likely."""
    words = _WORD.findall(text[:_MOST_CHARACTERS].lower())
    found = {code: sum(word in stop_words(code) for word in words) for code in _STOP_LISTS}
    code = max(found, key=lambda one: (found[one], one == "en"))
    return name_of(code) if found[code] >= _FEWEST_OF_QUESTION and found[code] > found["en"] else None


@cache
def stop_words(code: str) -> frozenset[str]:
    """The words of a language that say little, if it is one of ten common ones."""
    if code not in _STOP_LISTS:
        return frozenset()
    from justext import get_stoplist  # loads lxml, which only workers need

    return frozenset(get_stoplist(_STOP_LISTS[code])).union(_QUESTION_WORDS.get(code, "").split())
