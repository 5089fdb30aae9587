"""Prove the rendered scripts by running them as a user does."""
