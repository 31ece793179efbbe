"""Whether what was found answers what is asked, so that it is shown as an answer, or only stands near it."""
