"""Two small stages that keep the contract of a stage: found by file name, like those of the lesson."""
