"""Published sets of questions, a loader each: from JSON lines, and from the files that their authors publish."""
