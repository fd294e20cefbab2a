"""Files larger than memory, and clusters: the same kernels over blocks of rows that are read when they are needed."""
