"""Questions whose answers are known, put to the whole system: data sets are read, every question is asked and recorded
as it is answered, what came of it is scored, runs are compared and reported. Nothing here says how to answer."""
