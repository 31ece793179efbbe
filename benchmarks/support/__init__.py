"""The parts of benchmarks/fit_support.py: what it reads, how it fits, how it measures."""
