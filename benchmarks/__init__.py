"""What `docs/performance.md` claims, measured: one file for each kind of claim, all in one run of `make bench`."""
