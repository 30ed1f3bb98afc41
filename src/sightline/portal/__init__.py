"""The portal, where customers sign in, vote, comment and request."""
