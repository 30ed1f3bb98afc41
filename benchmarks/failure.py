"""What ends a benchmark."""


class BenchFailed(Exception):
    """Nothing can be measured; the message is one clear line."""
