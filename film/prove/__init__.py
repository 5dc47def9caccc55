"""Numbers and films held to what they must be, and the report."""
