"""From a source as a text names it to the work that it is: identifiers, lookups in catalogues, comparison of titles,
authors and years. Services live in sources; here is only what is asked of them and what their records mean."""
