"""Find the work that a cited source is: identifiers, lookups in catalogues, comparison of titles, authors and years.
The services are in sources; this folder decides what to ask them and what their records mean."""
