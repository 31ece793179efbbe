"""What was measured as text and as pages: results in, lines out. What is measured belongs in the folders above."""
