"""The workbench: a file, its roles, methods tried on it, and the results."""

from .panel import panel, server

__all__ = ["panel", "server"]
