"""Totals that a process has counted, so that a long list is counted again only when it has changed."""

BYTES_OF_TOTALS = 8 * 1024 * 1024
BYTES_OF_A_TOTAL = 384  # a hashed key, two numbers, and their place in the dictionary


class Totals(dict[bytes, tuple[int, int]]):
    """By list and filters: the list's version, and the total at that version. Forgets the least recently read."""

    def __init__(self, most: int = BYTES_OF_TOTALS // BYTES_OF_A_TOTAL) -> None:
        self.most = most

    def keep(self, key: bytes, version: int, total: int) -> None:
        self.pop(key, None)
        self[key] = version, total
        if len(self) > self.most:
            del self[next(iter(self))]
