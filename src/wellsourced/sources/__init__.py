"""Everything that can be searched, asked for a work, or asked about a work. The protocols are in base; each service is
a file or folder; what several share (parsing of answers, relaxing of queries, the privacy filters before each service)
stands beside them. Which sources a user has is decided in config; the order in which they are asked, in pipeline."""
