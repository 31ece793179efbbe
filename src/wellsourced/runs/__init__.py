"""One store of runs: what the command line, pages, programs and assistants asked, in one file of home.

    table       the file on the disk, and lines of it without answers
    history     the answers in it, chained so that changes show; deleted for good
    live        work in this process, written down while it goes on and stopped from anywhere

A run about a patient, or whose words identify a person, is in the memory of its process only; the file says that
something runs, never what.
"""
