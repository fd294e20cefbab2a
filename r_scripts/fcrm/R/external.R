# external(): a generator from elsewhere, as a command that Python runs. A function is one too, called in an R of its own.

external <- function(generator, seconds = 3600, name = NULL) {
  ours <- !missing(generator) && is.function(generator)
  if (ours) {
    written <- substitute(generator)
    if (is.null(name)) name <- if (is.name(written)) as.character(written) else "a function"
    generator <- function_command(generator)
  }
  made <- method("External", environment())
  if (ours) made$shown <- setdiff(made$shown, "generator")
  made
}

# The function lies in a file for as long as this R runs, with where its packages are.
function_command <- function(f) {
  kept <- tempfile("generator-", fileext = ".rds")
  saveRDS(list(call = call_generator, f = f, libraries = .libPaths()), kept)
  code <- "a <- commandArgs(TRUE); kept <- readRDS(a[1]); kept$call(kept$f, kept$libraries, a[2], a[3])"
  c(file.path(R.home("bin"), "Rscript"), "--vanilla", "-e", code, kept, "{input}", "{output}")
}

# What that R does. Its environment is not this package's: that R need not have it.
call_generator <- function(f, libraries, input, output) {
  .libPaths(libraries)
  suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
  failed <- function(e) {
    message(conditionMessage(e))
    quit(status = 1)
  }
  frame <- utils::read.csv(input, check.names = FALSE, na.strings = "", encoding = "UTF-8")
  made <- tryCatch(as.data.frame(f(frame)), error = failed)
  words <- which(!vapply(made, is.numeric, NA))
  whole <- vapply(made, function(x) is.double(x) && !is.object(x), NA)  # write.csv() would leave 15 digits of 17
  made[whole] <- lapply(made[whole], function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)))
  utils::write.csv(made, output, row.names = FALSE, na = "", quote = words, fileEncoding = "UTF-8")
}
environment(call_generator) <- globalenv()
