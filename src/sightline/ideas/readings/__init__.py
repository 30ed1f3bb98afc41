"""Reading ideas again by a model, after the embedded engine has answered the request."""
