"""Write reports as text, JSON, SARIF or workflow commands."""
