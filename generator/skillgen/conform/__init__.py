"""Hold a flavor against its real program: seed with the product, cancel with our script, ask the product."""
