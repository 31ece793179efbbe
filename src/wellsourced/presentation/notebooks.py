"""What notebooks show of a result."""
