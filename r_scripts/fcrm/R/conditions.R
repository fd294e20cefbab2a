# Errors and notes are conditions with classes, so that a caller can tell them apart without reading their text.

stop_fcrm <- function(kind, message, ...) {
  classes <- c(paste0("fcrm_", kind), "fcrm_error", "error", "condition")
  stop(structure(class = classes, list(message = message, call = NULL, ...)))
}

# The data cannot be used as they are.
stop_input <- function(owner, rule, given = NULL) {
  got <- if (is.null(given)) "" else paste0("; got ", given)
  stop_fcrm("invalid_input", paste0(owner, ": ", rule, got), owner = owner, rule = rule, value = given)
}

# An argument breaks its rule.
stop_parameter <- function(owner, name, rule, value) {
  message <- paste0(owner, ": `", name, "` ", rule, "; got ", value)
  stop_fcrm("invalid_parameter", message, owner = owner, parameter = name, rule = rule, value = value)
}

# Arguments that nothing takes; a generic's methods let them in.
no_more <- function(owner, ...) {
  if (...length() == 0L) {
    return(invisible())
  }
  given <- names(list(...))
  named <- if (is.null(given) || !nzchar(given[1L])) "an argument without a name" else given[1L]
  stop_input(owner, "takes no further argument", named)
}

# An error that Python handed over as data: kind, message, owner, rule, and perhaps parameter and value; of the function
# `verb`, in R's words.
stop_as_python <- function(error, verb) {
  error <- error[!vapply(error, is.null, NA)]
  parts <- regmatches(error$message, regexpr("; got ", error$message, fixed = TRUE), invert = TRUE)[[1L]]
  error$message <- paste(c(rule_in_r(parts[1L]), in_r_words(parts[-1L])), collapse = "; got ")
  if (!is.null(error$rule)) error$rule <- rule_in_r(error$rule)
  if (!is.null(error$value)) error$value <- in_r_words(error$value)
  if (isTRUE(error$owner %in% PYTHONS_OWN)) {
    error$message <- sub(error$owner, verb, error$message, fixed = TRUE)
    error$owner <- verb
  }
  do.call(stop_fcrm, error)
}

PYTHONS_OWN <- c("RStream", "Roles", "sweep") # owners that no function of R's is called by

# A rule in R's words: TRUE, NULL, and the methods as they are called here.
rule_in_r <- function(text) {
  for (word in names(R_WORDS)) text <- gsub(paste0("\\b", word, "\\b(?!`)"), R_WORDS[[word]], text, perl = TRUE)
  called <- unique(unlist(regmatches(text, gregexpr("\\b[A-Z][A-Za-z]+(?=\\(|: )", text, perl = TRUE))))
  for (name in intersect(called, METHOD_NAMES)) text <- gsub(paste0("\\b", name, "(?=\\(|: )"), constructor(name), text, perl = TRUE)
  text <- gsub("\\{\"(\\w+)\": \\(([^)]*)\\)\\}", "list(\\1 = c(\\2))", text)
  gsub("([(,] ?[a-z_]+)=(?=[^= ])", "\\1 = ", text, perl = TRUE)
}

R_WORDS <- c("True" = "TRUE", "False" = "FALSE", "None" = "NULL", "a mapping" = "a named list")
METHOD_NAMES <- c(
  "FCRM", "IPSO", "GADP", "EGADP", "Noise", "RankSwapping", "Shuffling", "Microaggregation", "Permutation", "Hybrid", "Sequential",
  "ARF", "Dummy", "Sampling", "Recoding", "TopBottomCoding", "LocalSuppression", "PRAM", "Steps", "Calibrated", "External"
)

# A value as Python writes it, as R does: TRUE, NULL, c(1, 2), "word".
in_r_words <- function(value) {
  if (length(value) == 0L) {
    return(value)
  }
  if (value %in% names(R_WORDS)) {
    return(R_WORDS[[value]])
  }
  if (grepl("^[[(].*[])]$", value)) value <- paste0("c(", sub(",?[])]$", "", substring(value, 2L)), ")")
  gsub("'([^'\"]*)'", "\"\\1\"", value)
}

# Sentences of Python's with its methods as R writes them, FCRM(c=8) as fcrm(c = 8); the longest first, one within another.
with_methods <- function(words, pythons, ours) {
  for (k in order(-nchar(pythons))) words <- gsub(pythons[k], ours[k], words, fixed = TRUE)
  words
}

# What a method had to do, one message each; suppressMessages() silences them.
tell <- function(notes) {
  for (note in notes) {
    message(structure(
      class = c("fcrm_note", "message", "condition"), list(message = paste0(as_note_line(note), "\n"), call = NULL)
    ))
  }
}

# A note as a line: warnings come from Python with their own first word.
as_note_line <- function(notes) paste0(ifelse(startsWith(notes, "WARNING: "), "", "note: "), notes, recycle0 = TRUE)
