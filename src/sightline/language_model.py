"""The configured model, for the server and the worker."""

from typing import Any

from sightline.intelligence.model.choice import LanguageModel
from sightline.intelligence.model.endpoint import Endpoint
from sightline.intelligence.model.session import BY_MODEL, Budget
from sightline.intelligence.model.usage import Prices
from sightline.settings import Settings


def model_tools(settings: Settings) -> dict[type, Any]:
    """Returns the model, if one is configured."""
    if settings.model_url is None or settings.model_name is None:
        return {}
    endpoint = Endpoint(settings.model_url, settings.model_name, settings.model_key)
    budget = Budget(settings.model_requests, settings.model_tokens, settings.model_seconds)
    prices = Prices(settings.model_input_price, settings.model_output_price)
    return {LanguageModel: LanguageModel(f"{BY_MODEL}{settings.model_name}", endpoint, budget, prices)}
