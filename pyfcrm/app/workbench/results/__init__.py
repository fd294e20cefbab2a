"""The results: everything tried so far, the details of each trial, and what may be taken away."""

from .panel import panel, server

__all__ = ["panel", "server"]
