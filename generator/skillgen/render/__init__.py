"""Turn a contract and templates into the bytes of a bundle; pure."""
