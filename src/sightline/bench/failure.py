"""The benchmark's own refusal."""


class BenchFailed(Exception):
    """The benchmark cannot say anything; the message is one clear line."""
