"""The reference: the OpenAPI document, its page, and the guides."""
