"""Sign-in by a token that the customer's product signs."""
