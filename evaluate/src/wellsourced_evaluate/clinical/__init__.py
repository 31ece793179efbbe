"""Cases whose right answer is known, put to the program as it is: what it says of them, counted the same way for all.

`cases.py` is the shape of every set, `case_sets.py` the table of them; `wellsourced evaluate clinical SET` runs one."""
