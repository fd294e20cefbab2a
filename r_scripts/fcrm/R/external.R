# external(): a third-party synthesizer as a command that Python runs. An R function is called in a separate R process.

external <- function(generator, seconds = 3600, name = NULL) {
  is_function <- !missing(generator) && is.function(generator)
  if (is_function) {
    expression <- substitute(generator)
    if (is.null(name)) name <- if (is.name(expression)) as.character(expression) else "a function"
    generator <- function_command(generator)
  }
  result <- new_method("External", environment())
  if (is_function) result$shown <- setdiff(result$shown, "generator")
  result
}

# The function and the library paths are in a file until this R ends.
function_command <- function(f) {
  path <- tempfile("generator-", fileext = ".rds")
  saveRDS(list(call = call_generator, f = f, libraries = .libPaths()), path)
  code <- "a <- commandArgs(TRUE); stored <- readRDS(a[1]); stored$call(stored$f, stored$libraries, a[2], a[3])"
  c(file.path(R.home("bin"), "Rscript"), "--vanilla", "-e", code, path, "{input}", "{output}")
}

# Called in that R process. Its environment is not the namespace of this package, which that R may not have.
call_generator <- function(f, libraries, input, output) {
  .libPaths(libraries)
  suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
  failed <- function(e) {
    message(conditionMessage(e))
    quit(status = 1)
  }
  frame <- utils::read.csv(input, check.names = FALSE, na.strings = "", encoding = "UTF-8")
  result <- tryCatch(as.data.frame(f(frame)), error = failed)
  texts <- which(!vapply(result, is.numeric, NA))
  doubles <- vapply(result, function(x) is.double(x) && !is.object(x), NA)  # write.csv() writes 15 digits of 17
  result[doubles] <- lapply(result[doubles], function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)))
  utils::write.csv(result, output, row.names = FALSE, na = "", quote = texts, fileEncoding = "UTF-8")
}
environment(call_generator) <- globalenv()
