"""Programs for people who work on Reverie; none of them is installed."""
