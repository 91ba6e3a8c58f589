"""Decay, archive, purge, pins."""
