# Checks an agency's R file. It is evaluated before this file.
require_ipso <- function() {
  if (!exists("IPSOabc", mode = "function")) stop("the R code must define a function called `IPSOabc`", call. = FALSE)
}
