"""The customers' portal: sign in, vote, ask."""
