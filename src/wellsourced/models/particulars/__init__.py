"""What of a question could turn general advice, and the sentences that rule something out for it."""
