"""Numbers that can be checked: detection, retrieval, fidelity, speed."""
