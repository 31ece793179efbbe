"""Recorded answers of any system, checked against the sources that they cite as `wellsourced check` does, and counted
as SourceCheckup counts. What a check is belongs to factcheck; here answers are read, and recorded one by one."""
