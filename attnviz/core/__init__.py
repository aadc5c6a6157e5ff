"""The maths: softmax, attention, masks and entropy, with NumPy and the standard library only."""
