"""Read skill, flavor and template files; the only step that does."""
