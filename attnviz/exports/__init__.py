"""What a person takes away: arrays and state in, text out. Imports NumPy and the core."""
