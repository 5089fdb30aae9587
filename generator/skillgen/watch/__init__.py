"""Tell what moved between two releases of a product, in facts and without a base."""
