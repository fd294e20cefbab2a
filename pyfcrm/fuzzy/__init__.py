"""Fuzzy clustering and fuzzy regression: plain functions of arrays."""

from .fcm import FCMFit, fcm
from .fcrm import FCRMFit, fcrm

__all__ = ["FCMFit", "FCRMFit", "fcm", "fcrm"]
