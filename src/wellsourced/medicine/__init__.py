"""What is particular to medicine in a text: names, quantities, doses, ages, conditions, study designs, emergencies.

No I/O. `drugs.py` and `conditions.py` find what their tables name. Who a text is about is found in deidentification/;
results of studies are read in claims/results/, and claims are compared with their sources in claims/."""
