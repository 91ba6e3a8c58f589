"""One session in, what it teaches out: corrections, diaries, learnings, dailies, signals."""
