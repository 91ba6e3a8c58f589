"""The JSON forms of everything Reverie shows: for `--json`, for MCP and for programs.

One function per value, named after it. Keys are in the order they are printed in.
"""

# --- learning -----------------------------------------------------------------------------------

# --- answers ------------------------------------------------------------------------------------

# --- memories and stores ------------------------------------------------------------------------

# --- sessions and projects ----------------------------------------------------------------------

# --- the state of things ------------------------------------------------------------------------
