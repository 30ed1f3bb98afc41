"""The product in responses."""

from uuid import UUID

from sightline.platform.wire import Record, Timestamp


class Feature(Record):
    """A part of a product. `parentId` is the feature of the same product that it belongs to."""

    id: UUID
    name: str
    description: str
    parent_id: UUID | None


class Product(Record):
    """A product with its whole feature map, in the workspace's order. A changed feature does not change `updatedAt`."""

    id: UUID
    name: str
    description: str
    features: list[Feature]
    created_at: Timestamp
    updated_at: Timestamp
