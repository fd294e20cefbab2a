"""Judging a release: evaluate(), the inference baseline, changes by variable, records at risk, the analyst's regression."""
