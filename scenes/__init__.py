"""What is seen: a folder a stage, and the parts they are built of."""
