"""What the National Center for Biotechnology Information gives: PubMed and PubMed Central, by the E-utilities."""
