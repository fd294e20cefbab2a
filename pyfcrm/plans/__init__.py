"""Plans: one reviewed TOML file for one release; the limits of the verdict."""
