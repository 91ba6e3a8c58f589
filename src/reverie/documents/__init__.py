"""A memory as a file: frontmatter, bodies, index file, long-term page, exclusions, dates."""
