"""Everything that can be searched, asked for a work, or asked about a work. The protocols are in base; one file or
folder holds one service, and what several share (parsing of answers, relaxing of queries, the privacy filters before
each service) stands beside them. Which of them a user has is decided in config; the order in which they are asked, in
pipeline."""
