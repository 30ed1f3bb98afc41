"""Adding the sources of a run to a product, as signals."""
