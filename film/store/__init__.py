"""What earlier runs left, found again under digests."""
