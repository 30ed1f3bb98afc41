"""The configured model, for the server and the worker."""

from typing import Any

from sightline.intelligence.model.choice import LanguageModel
from sightline.intelligence.model.session import Budget
from sightline.intelligence.model.usage import Prices
from sightline.settings import Settings


def model_tools(settings: Settings) -> dict[type, Any]:
    """Returns the model, if one is configured; what asks it is imported only then."""
    if settings.model_url is None or settings.model_name is None:
        return {}
    from sightline.intelligence.model.endpoint import Endpoint
    from sightline.intelligence.model.engine import ModelEngine

    endpoint = Endpoint(settings.model_url, settings.model_name, settings.model_key)
    budget = Budget(settings.model_requests, settings.model_tokens, settings.model_seconds)
    prices = Prices(settings.model_input_price, settings.model_output_price)
    return {LanguageModel: ModelEngine(endpoint, settings.model_name, budget, prices)}
