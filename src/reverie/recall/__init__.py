"""Choosing memories and corrections under a character budget: search, rank, pack, verify."""
