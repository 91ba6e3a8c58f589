"""Engines: who can think, what they are asked, and what each call cost."""
