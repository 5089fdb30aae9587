"""Place bundles in a marketplace repository: all of it as one fast-forward, or nothing."""
