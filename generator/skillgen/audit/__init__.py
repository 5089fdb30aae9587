"""Hold texts and bundles against rules and return findings; pure."""
