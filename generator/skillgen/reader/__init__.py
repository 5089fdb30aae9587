"""Read a text once: fold its letters, cut it into blocks and clauses, and say what each clause orders."""
