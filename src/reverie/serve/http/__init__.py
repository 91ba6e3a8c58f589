"""The memory server: memory stores over HTTP, as the official clients speak it."""
