# Tests that need Python run where it is found and skip, saying so, where it is not.
skip_without_python <- function() skip_if_not(pyfcrm_available(), "no Python with pyfcrm")

# Every kind of column; no random number of the session is spent.
households <- function(n = 120) {
  k <- seq_len(n)
  age <- 20 + (k * 37) %% 60
  hours <- 10 + (k * 53) %% 41 + k / 7
  wage <- 900 + 12 * age + 30 * hours + 200 * sin(k)
  data.frame(
    name = sprintf("p%03d", k), age = as.integer(age), hours = hours, wage = wage,
    tax = as.integer(round(0.2 * wage + 50 * cos(3 * k))),
    region = factor(c("\u00e9st", "west")[1 + k %% 2]), class = factor(k %% 3, ordered = TRUE),
    born = as.Date("1970-01-01") + k, seen = as.POSIXct("2020-01-01", tz = "UTC") + k, member = k %% 4 == 0,
    stringsAsFactors = FALSE
  )
}

# In tests a hold and other warnings are expected. Tests of the warnings call fcrm::evaluate.
evaluate <- function(...) without_warnings(fcrm::evaluate(...))

# The values of this frame follow from its order, in which the tests compare records.
quietly <- function(..., shuffle = FALSE) without_warnings(suppressMessages(protect(..., shuffle = shuffle)))

without_warnings <- function(code) withCallingHandlers(code, fcrm_warning = function(w) invokeRestart("muffleWarning"))

protected <- function(df, method = ipso("C"), seed = 1, ...) {
  quietly(df, method, independent = c("age", "hours"), dependent = c("wage", "tax"), seed = seed, ...)
}

# A release of which nothing but the table is known.
plain_release <- function(released) `attr<-`(released, "fcrm", NULL)
