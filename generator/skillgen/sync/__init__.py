"""Bring forks to the bundle of their flavor with their own edits kept, and their edits back into the flavor."""
