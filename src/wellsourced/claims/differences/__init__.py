"""Where a claim is near its source, and which words differ: shown of a statement that nobody could verify.

    span = find_source_sentence(claim, text)
    differences = find_differences(claim, text[span.start : span.end], text)  # the text for its abbreviations

Offsets of the differences on the source's side count from the start of the sentence. They say which words differ, never
whether the claim is right: a claim without a mark may be wrong, and one with many may be a good paraphrase.
"""
