"""Pieces of sessions for an agent to think about, and its answers, checked."""
