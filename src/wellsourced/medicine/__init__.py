"""What is particular to medicine in a text: doses, quantities, ages, conditions, study designs, emergencies.

No I/O. Who a text is about is found in deidentification/; results of studies are read in claims/results/."""
