# synthpop's syn() as a function of a data frame: one synthesis, of as many records as are asked for. Text goes in as factors.

synthesise <- function(frame, records, ...) {
  if (!requireNamespace("synthpop", quietly = TRUE)) {
    stop("R's package synthpop is needed and is not installed; in R run: install.packages(\"synthpop\")")
  }
  text <- vapply(frame, is.character, NA)
  frame[text] <- lapply(frame[text], factor)
  made <- synthpop::syn(frame, k = records, print.flag = FALSE, ...)$syn
  made[text] <- lapply(made[text], as.character)
  made
}
