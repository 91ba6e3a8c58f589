"""Servers and homes: keys, stores as guests see them, pages, and copies of stores elsewhere."""
