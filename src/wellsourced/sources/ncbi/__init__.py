"""PubMed, PubMed Central and MeSH over NCBI's E-utilities: eutils.py speaks the protocol, entrez.py fetches records
as documents, and each database has a file."""
