"""Starts: what a session is told when it begins, and what a person hears of what was learned."""
