"""Write bundles, archives and marketplaces; the only step that does."""
