"""What is particular to one patient: what their record says, the lines of documents to check for them, and a medical
order explained term by term. Nothing here judges an answer."""
