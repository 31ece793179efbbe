"""A question about one patient, answered as a recommendation, and what of the patient the cited evidence does not
fit."""
