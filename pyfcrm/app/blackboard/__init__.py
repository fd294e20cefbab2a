"""The blackboard: points placed by hand, and fuzzy c-regression at work on them."""

from .panel import panel, server

__all__ = ["panel", "server"]
