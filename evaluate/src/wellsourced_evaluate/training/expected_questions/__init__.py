"""Matrices by which vectors of questions and of the lines that answer them are turned towards each other."""
