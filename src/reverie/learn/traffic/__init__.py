"""What the tool calls of one session show."""
