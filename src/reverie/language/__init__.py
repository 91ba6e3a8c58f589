"""What words mean: cut up, compared, turned into their plainest form."""
