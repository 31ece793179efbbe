"""The scorecard: every set of the folder of data measured by one command, what is bad said first."""
