"""From evidence to a draft whose every quote is located: choose prompts, condense long evidence to notes, compare
drafts, cite statements. Whether a source supports a statement belongs in verify."""
