"""Readers: one module per agent turns its logs into sessions; `agents` knows them all."""
