"""Resolve, render and write bundles, and tell from digests alone that they are current."""
