"""What Reverie does, one module per deed; each takes a `Home`, and `Memory` offers them all."""
