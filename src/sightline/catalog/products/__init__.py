"""Products and their feature maps."""
