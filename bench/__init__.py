"""Measurements of how fast films are made, as ratios of runs in whole processes; ``make bench``."""
