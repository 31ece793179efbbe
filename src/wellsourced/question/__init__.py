"""What a question asks for: its type, the quantity it wants, and the values it gives.

No I/O. Quantities, drugs and conditions are read in medicine/; what two texts say differently in claims/."""
