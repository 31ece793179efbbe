"""Whether the preflight tells that what answers stands where a model overlooks it: what it predicted, beside what
happened, recorded or found by searching. The preflight itself is pipeline/write/map_reduce.py."""
