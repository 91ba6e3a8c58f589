"""What the HTTP server does with a home: keys, and the stores as their holders see them."""
