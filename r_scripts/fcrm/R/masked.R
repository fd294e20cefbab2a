# Functions of other packages that ours of the same name stand before.

# The one that library(fcrm) has masked; NULL where there is none.
masked <- function(name) {
  attached <- search()
  behind <- attached[seq_along(attached) > match("package:fcrm", attached, length(attached))]
  found <- Filter(Negate(is.null), lapply(behind, function(place) get0(name, as.environment(place), mode = "function", inherits = FALSE)))
  if (length(found)) found[[1L]]
}

# `call`, made to ours, to another function; its first argument, which has a value by now, is not evaluated twice.
again <- function(theirs, call, from, first) {
  call[[1L]] <- theirs
  place <- match("", if (is.null(names(call))) rep("", length(call) - 1L) else names(call)[-1L]) + 1L
  if (!is.na(place) && !identical(call[[place]], quote(...))) {
    from <- new.env(parent = from)
    from$.given <- first
    call[[place]] <- quote(.given)
  }
  eval(call, from)
}

# What a method is never made with, but a function of the same name elsewhere is: data.
is_data <- function(x) is.data.frame(x) || is.matrix(x) || isS4(x)
