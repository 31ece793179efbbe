"""Cases whose right answer is known, put to the program as it is: what it says of them, counted the same way for all.

`marks.py` is the shape of every set, `cases.py` ends with the table of them; `wellsourced evaluate clinical SET` runs
one."""
