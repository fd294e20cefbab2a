"""Judging a release: one file for each public function, and four packages with the work behind them."""
