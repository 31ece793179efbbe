"""Programs that make what the package ships as learnt files; none of them is needed to use it."""
