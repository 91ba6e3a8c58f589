"""Many sessions in, a proposal out: gather, group, weigh, settle, write, check."""
