"""Partitions of records into groups of at least k, as (n,) int64 labels from 0."""
