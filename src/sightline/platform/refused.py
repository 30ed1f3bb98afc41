"""What a program of ours refuses in one line."""


class Refused(Exception):
    """What a person asked for cannot be done. The message is one clear line that says what to do."""
