"""What one day came to, over all projects."""
