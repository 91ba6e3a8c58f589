"""The structured record of each task of a session."""
