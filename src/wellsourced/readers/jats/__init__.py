"""The JATS family of PMC: journal articles, books of the Bookshelf (BITS), their tables and their notices of
retraction. What any XML format needs is in readers.xml_records."""
