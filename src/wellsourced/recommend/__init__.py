"""Answer a question about one patient with a recommendation, and say in what the cited evidence does not fit the
patient."""
