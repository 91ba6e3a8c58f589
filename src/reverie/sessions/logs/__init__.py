"""Logs as files: found, opened whatever happened to them, vouched for, and copied in time."""
