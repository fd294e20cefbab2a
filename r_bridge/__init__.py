"""Python to R: the R code of IPSO, the plain R twins and sdcMicro as cross-checks. Nothing is loaded before it is used."""
