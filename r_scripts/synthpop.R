# synthpop's syn() as a function of a data frame: one synthesis of `records` records. Text columns are passed as factors.

synthesise <- function(frame, records, ...) {
  if (!requireNamespace("synthpop", quietly = TRUE)) {
    stop("R's package synthpop is needed and is not installed; in R run: install.packages(\"synthpop\")")
  }
  text <- vapply(frame, is.character, NA)
  frame[text] <- lapply(frame[text], factor)
  synthesis <- synthpop::syn(frame, k = records, print.flag = FALSE, ...)$syn
  synthesis[text] <- lapply(synthesis[text], as.character)
  synthesis
}
