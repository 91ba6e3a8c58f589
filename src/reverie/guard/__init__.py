"""Which tool calls an agent at work for Reverie may make: read-only tools and shell, no more."""
