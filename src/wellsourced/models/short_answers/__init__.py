"""The short answer: which units of what is shown of a guideline decide a question."""
