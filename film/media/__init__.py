"""MP4 and sound files: read, counted, patched."""
