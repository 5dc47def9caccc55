"""The lecture folder: the lesson to teach from."""
