"""What a dream offers, how a pattern can be put to use, and what a person's decision does."""
