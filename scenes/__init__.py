"""What is seen: one file a stage, and the parts they are built of."""
