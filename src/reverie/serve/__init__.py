"""The surfaces that answer programs: MCP now, HTTP and the web page later."""
