"""What is asked, by the words of a question: what of a message is the question, whether it leans on an earlier one, its
type, the quantity and the things it wants, how it is spelled, and what its words may also mean.

No model is asked here: what frames a question with one is in pipeline/frame. Quantities, drugs and conditions are read
in medicine/; what two texts say differently in claims/."""
