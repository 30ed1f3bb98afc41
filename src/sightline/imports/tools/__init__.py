"""Shipped maps: exports of other tools."""
