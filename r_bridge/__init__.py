"""Between the two languages: `to_r`, Python to R; `from_r`, what R calls; `crosschecks`. A wheel has r_scripts in here."""
