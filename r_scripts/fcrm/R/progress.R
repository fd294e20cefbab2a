# A progress bar for calls of Python, on standard error.

# call : a function of the function that Python calls with the share of the work done. Without a bar this looks for interrupts only.
with_progress <- function(call) {
  delay <- progress_delay()
  bar <- NULL
  start <- proc.time()[["elapsed"]]
  on.exit(if (!is.null(bar)) close(bar))
  show <- function(share) {
    if (is.null(delay)) {
      return()
    }
    if (is.null(bar)) {
      if (proc.time()[["elapsed"]] - start < delay) {
        return()
      }
      bar <<- utils::txtProgressBar(file = stderr(), style = 3L)
    }
    utils::setTxtProgressBar(bar, share)
  }
  # R below Python's frames must not jump out of them: R handles interrupts in `report` alone, where FALSE makes Python stop. One
  # that comes at another moment waits for the next report. R is interrupted when Python has returned.
  interrupted <- FALSE
  report <- function(share) {
    tryCatch(
      allowInterrupts({
        show(share)
        Sys.sleep(0) # R looks for an interrupt that waits
      }),
      interrupt = function(condition) interrupted <<- TRUE
    )
    !interrupted
  }
  answer <- suspendInterrupts(call(report))
  if (interrupted) interrupt()
  if (!is.null(bar) && is.null(answer[["error"]])) utils::setTxtProgressBar(bar, 1)
  answer
}

# Interrupts R as its user does.
interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list()))
  invokeRestart("abort")
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
