"""The page: what agents remember, to be seen and steered in a browser."""
