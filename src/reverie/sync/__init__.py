"""One memory on several machines: what they exchange through a folder or a git repository."""
