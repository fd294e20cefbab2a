"""Python calls R through rpy2: sessions, conversion of values, the reference implementations, sdcMicro and synthpop."""
