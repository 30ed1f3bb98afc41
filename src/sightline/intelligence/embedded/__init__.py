"""The engine that is always there: no model, no network, no further package. It finds and quotes, it does not judge."""

from functools import cache

from sightline.intelligence.embedded.classifying import suggest_options
from sightline.intelligence.embedded.documents.writer import write_document
from sightline.intelligence.embedded.feature_map import read_features
from sightline.intelligence.embedded.matching import closest_features, match_features
from sightline.intelligence.embedded.naming import name_idea
from sightline.intelligence.embedded.questions import ask_questions
from sightline.intelligence.embedded.signals.extraction import extract_insights


class EmbeddedEngine:
    """Compares words. Reads whole signals, and 200 sentences in the first 40,000 characters of other texts.

    Takes texts of any length and content without errors; every answer rests on the text, and is the same for the same.
    Results are stored with its name and version. `model_follows`: a model reads each new and newly described idea
    again, later.
    """

    name = "embedded"
    version = "4"

    def __init__(self, *, model_follows: bool = False) -> None:
        self.model_follows = model_follows

    read_features = staticmethod(read_features)
    match_features = staticmethod(match_features)
    closest_features = staticmethod(closest_features)
    name_idea = staticmethod(name_idea)
    ask_questions = staticmethod(ask_questions)
    suggest_options = staticmethod(suggest_options)
    write_document = staticmethod(write_document)
    extract_insights = staticmethod(extract_insights)


@cache
def embedded_engine() -> EmbeddedEngine:
    """Returns the embedded engine of this process. It has no state between calls."""
    return EmbeddedEngine()
