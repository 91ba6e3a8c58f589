"""Stores of servers elsewhere, and their copies here."""
