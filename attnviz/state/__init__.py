"""What a person can set: typed text becomes frozen, validated state, and state becomes a link."""
