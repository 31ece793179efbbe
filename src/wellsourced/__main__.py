"""`python -m wellsourced` is `wellsourced`."""

from wellsourced.app.cli import main

if __name__ == "__main__":
    main()
