"""Authentication: from the Authorization header to the actor."""
