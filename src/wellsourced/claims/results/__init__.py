"""Results of studies as sentences report them: outcome, direction, significance, arm and comparator, read by rules.
`agreement` compares the result that a claim states with those in evidence; designs, sample sizes and grades are in
`clinical/`."""
