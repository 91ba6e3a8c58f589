"""Reconstruction fidelity: what of a long history is left when little of it may be told."""
