"""The steps of a dream, each taking the night and returning it with its part filled in."""
