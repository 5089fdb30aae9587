"""Cancel what is active, as the contract beside the scripts says: plan, act, look again, report. CONTRIBUTING.md explains it."""
