library(testthat)
library(fcrm)

test_check("fcrm")
