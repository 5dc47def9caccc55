"""The parts that stages are built of."""
