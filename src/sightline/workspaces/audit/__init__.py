"""The trail that every write leaves."""
