# A progress bar for calls of Python, on standard error.

# call : a function of the function that Python calls with the share of the work done; of NULL without a bar.
with_progress <- function(call) {
  delay <- progress_delay()
  if (is.null(delay)) {
    return(call(NULL))
  }
  bar <- NULL
  start <- proc.time()[["elapsed"]]
  on.exit(if (!is.null(bar)) close(bar))
  show <- function(share) {
    if (is.null(bar)) {
      if (proc.time()[["elapsed"]] - start < delay) {
        return()
      }
      bar <<- utils::txtProgressBar(file = stderr(), style = 3L)
    }
    utils::setTxtProgressBar(bar, share)
  }
  # An interrupt must not leave R's function while Python's frames are below it: FALSE makes Python stop, and then R is interrupted.
  report <- function(share) {
    tryCatch(
      {
        show(share)
        TRUE
      },
      interrupt = function(condition) FALSE
    )
  }
  answer <- call(report)
  if (!is.null(bar) && is.null(answer[["error"]])) utils::setTxtProgressBar(bar, 1)
  answer
}

# Seconds before a call shows its bar; NULL if it shows none. options(fcrm.progress = ): TRUE shows it at once, also in scripts,
# FALSE never; the default shows it in interactive sessions, for long calls.
progress_delay <- function() {
  chosen <- getOption("fcrm.progress")
  if (is.null(chosen)) {
    return(if (interactive()) LONG_CALL)
  }
  if (!isTRUE(chosen) && !isFALSE(chosen)) stop_parameter("options", "fcrm.progress", "must be TRUE or FALSE", format(chosen)[1L])
  if (chosen) 0
}

LONG_CALL <- 1 # seconds
