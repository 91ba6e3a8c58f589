"""Versioned files: paths, documents, versions, access, search, mounts, the index file."""
