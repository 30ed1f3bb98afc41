"""The material that a document is written from."""
