# Checks an agency's R file, which is evaluated before this one.
require_ipso <- function() {
  if (!exists("IPSOabc", mode = "function")) stop("the R code must define a function called `IPSOabc`", call. = FALSE)
}
