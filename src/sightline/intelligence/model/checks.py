"""Whether the configured model can be used."""

from sightline.intelligence.model.endpoint import Endpoint, probe
from sightline.intelligence.model.session import ModelFailed
from sightline.platform.checks import Check


async def check_model(url: str | None, name: str | None, key: str | None) -> Check:
    """Asks the model for one word."""
    if url is None:
        return Check("model", True, "not configured: the embedded engine does the work")
    if name is None:
        return Check("model", False, f"SIGHTLINE_MODEL_NAME is needed for {url}.")
    model = f"{name} at {url}"
    try:
        form = await probe(Endpoint(url, name, key))
    except ModelFailed as error:
        return Check("model", False, f"{model}: {error}")
    return Check("model", True, f"{model} answers, asked for {form}")
