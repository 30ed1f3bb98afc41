"""The parameter by which a client asks for what changed."""

from typing import Annotated

from msgspec import Meta

from sightline.platform.wire import Moment

UpdatedSince = Annotated[
    Moment | None,
    Meta(
        description="Only what changed at or after this moment, the oldest change first. A change appears once no open "
        "transaction can precede it. A client that follows `Link` to its end, and then starts again at the latest "
        "`updatedAt` it received, misses no record; with `offset` instead it may, since records that change move."
    ),
]
