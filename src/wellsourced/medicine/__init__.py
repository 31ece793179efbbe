"""What is particular to medicine in a text: names, quantities, doses, ages, conditions, study designs, emergencies.

No I/O. `names.py` finds the names of drugs, conditions, tests and procedures. Who a text is about is found in
deidentification/; claims are compared with their sources in compare/.
"""
