"""Who does the thinking: rules by default; agents and models when configured."""
