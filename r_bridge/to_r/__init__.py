"""Python to R through rpy2: a session, values over the wire, the plain R twins and sdcMicro. Nothing is loaded before
it is asked for."""
