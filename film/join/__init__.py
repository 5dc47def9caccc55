"""Segments become films with captions, chapters and voice."""
