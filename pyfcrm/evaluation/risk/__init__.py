"""Disclosure risk above reference releases, by key variables, and record by record."""
