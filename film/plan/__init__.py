"""What must be rendered and why; reads, never writes."""
