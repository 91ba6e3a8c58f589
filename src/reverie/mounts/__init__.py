"""A store as a folder of files: what is in it, one pass over it, merging, who really wrote."""
