"""From evidence to a draft whose every quote is located: prompts chosen, long evidence condensed to notes, drafts
compared, statements cited. Whether a source says what a statement says belongs in verify."""
