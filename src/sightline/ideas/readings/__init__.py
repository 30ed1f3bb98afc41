"""Reading ideas by a model, after the request that described them."""
