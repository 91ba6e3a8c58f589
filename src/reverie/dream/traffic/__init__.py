"""What the tool calls of many sessions show that no one of them does."""
