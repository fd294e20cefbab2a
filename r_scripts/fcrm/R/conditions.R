# Errors and notes are conditions with classes, so that a caller can distinguish them without parsing text.

stop_fcrm <- function(kind, message, ...) {
  classes <- c(paste0("fcrm_", kind), "fcrm_error", "error", "condition")
  stop(structure(class = classes, list(message = message, call = NULL, ...)))
}

# The data break a rule.
stop_input <- function(owner, rule, value = NULL) {
  got <- if (is.null(value)) "" else paste0("; got ", value)
  stop_fcrm("invalid_input", paste0(owner, ": ", rule, got), owner = owner, rule = rule, value = value)
}

# An argument breaks its rule.
stop_parameter <- function(owner, name, rule, value) {
  message <- paste0(owner, ": `", name, "` ", rule, "; got ", value)
  stop_fcrm("invalid_parameter", message, owner = owner, parameter = name, rule = rule, value = value)
}

# Refuses further arguments, which the `...` of a generic's methods accepts.
refuse_further <- function(owner, ...) {
  if (...length() == 0L) {
    return(invisible())
  }
  arguments <- names(list(...))
  named <- if (is.null(arguments) || !nzchar(arguments[1L])) "an argument without a name" else arguments[1L]
  stop_input(owner, "takes no further argument", named)
}

# Raises an error that Python returned as data: kind, message, owner, rule, parameter and value. verb : the R function.
stop_as_python <- function(error, verb) {
  error <- error[!vapply(error, is.null, NA)]
  parts <- regmatches(error$message, regexpr("; got ", error$message, fixed = TRUE), invert = TRUE)[[1L]]
  error$message <- paste(c(rule_in_r(parts[1L]), value_in_r(parts[-1L])), collapse = "; got ")
  if (!is.null(error$rule)) error$rule <- rule_in_r(error$rule)
  if (!is.null(error$value)) error$value <- value_in_r(error$value)
  if (isTRUE(error$owner %in% PYTHON_OWNERS)) {
    error$message <- sub(error$owner, verb, error$message, fixed = TRUE)
    error$owner <- verb
  }
  do.call(stop_fcrm, error)
}

PYTHON_OWNERS <- c("RStream", "Roles", "sweep") # owners without an R function of that name

# A rule in R's notation: TRUE, NULL, and the constructors of methods.
rule_in_r <- function(text) {
  for (word in names(R_WORDS)) text <- gsub(paste0("\\b", word, "\\b(?!`)"), R_WORDS[[word]], text, perl = TRUE)
  found <- unique(unlist(regmatches(text, gregexpr("\\b[A-Z][A-Za-z]+(?=\\(|: )", text, perl = TRUE))))
  for (name in intersect(found, METHOD_NAMES)) text <- gsub(paste0("\\b", name, "(?=\\(|: )"), constructor(name), text, perl = TRUE)
  text <- gsub("\\{\"(\\w+)\": \\(([^)]*)\\)\\}", "list(\\1 = c(\\2))", text)
  gsub("([(,] ?[a-z_]+)=(?=[^= ])", "\\1 = ", text, perl = TRUE)
}

R_WORDS <- c("True" = "TRUE", "False" = "FALSE", "None" = "NULL", "a mapping" = "a named list")
METHOD_NAMES <- c(
  "FCRM", "IPSO", "GADP", "EGADP", "Noise", "RankSwapping", "Shuffling", "Microaggregation", "Permutation", "Hybrid", "Sequential",
  "ARF", "Dummy", "Sampling", "Recoding", "TopBottomCoding", "LocalSuppression", "PRAM", "Steps", "Calibrated", "External"
)

# A value in Python's notation, in R's: TRUE, NULL, c(1, 2), "text".
value_in_r <- function(value) {
  if (length(value) == 0L) {
    return(value)
  }
  if (value %in% names(R_WORDS)) {
    return(R_WORDS[[value]])
  }
  if (grepl("^[[(].*[])]$", value)) value <- paste0("c(", sub(",?[])]$", "", substring(value, 2L)), ")")
  gsub("'([^'\"]*)'", "\"\\1\"", value)
}

# Texts from Python with methods in R's notation, FCRM(c=8) as fcrm(c = 8). The longest first: it may contain another one.
with_methods <- function(texts, python, r) {
  for (k in order(-nchar(python))) texts <- gsub(python[k], r[k], texts, fixed = TRUE)
  texts
}

# A message for each note; suppressMessages() suppresses them.
emit_notes <- function(notes) {
  for (note in notes) {
    message(structure(
      class = c("fcrm_note", "message", "condition"), list(message = paste0(as_note_line(note), "\n"), call = NULL)
    ))
  }
}

# Notes as lines: Python writes "WARNING: " in front of warnings.
as_note_line <- function(notes) paste0(ifelse(startsWith(notes, "WARNING: "), "", "note: "), notes, recycle0 = TRUE)
