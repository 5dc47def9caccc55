"""The same jobs on other machines."""
