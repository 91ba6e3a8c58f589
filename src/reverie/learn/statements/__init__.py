"""Sentences that will hold tomorrow, and the lesson in each."""
