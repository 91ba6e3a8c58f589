"""The logs agents leave: one reader per agent, discovery, the incremental index, projects."""
