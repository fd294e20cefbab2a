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

# Refuses further arguments, which the `...` of a generic's methods accepts. Offers the argument of the most similar name.
refuse_further <- function(owner, ...) {
  if (...length() == 0L) {
    return(invisible())
  }
  argument <- names(list(...))[1L]
  if (is.null(argument) || !nzchar(argument)) stop_input(owner, "takes no further argument", "an argument without a name")
  known <- setdiff(names(formals(sys.function(-1L))), "...")
  stop_input(owner, "takes no further argument", paste0(argument, near_name(argument, known)))
}

# The known name that differs from `name` in at most a third of its letters, as a question; "" without one.
near_name <- function(name, known) {
  differences <- utils::adist(name, known, ignore.case = TRUE)
  nearest <- which.min(differences)
  if (differences[nearest] > nchar(name) / 3) "" else paste0(" (did you mean `", known[nearest], "`?)")
}

# Raises an error that Python returned as data: kind, message, owner, rule, parameter and value. verb : the R function.
stop_as_python <- function(error, verb) {
  error <- error[!vapply(error, is.null, NA)]
  if (isTRUE(error$owner %in% PYTHON_OWNERS)) {
    error$message <- sub(error$owner, verb, error$message, fixed = TRUE)
    error$owner <- verb
  }
  do.call(stop_fcrm, error)
}

PYTHON_OWNERS <- c("RStream", "Roles", "sweep") # owners without an R function of that name

# Texts with methods as format() shows them: Python shows other parameters. The longest first: it may contain another one.
with_methods <- function(texts, python, r) {
  for (k in order(-nchar(python))) texts <- gsub(python[k], r[k], texts, fixed = TRUE)
  texts
}

# Signals notes once a result is complete: information as messages of class fcrm_note, warnings as R warnings of class
# fcrm_warning. value : the result, a field of these conditions, so that a handler that leaves the call has it.
emit_notes <- function(notes, value = NULL) {
  is_warning <- startsWith(notes, WARNING)
  for (note in notes[!is_warning]) {
    message(structure(
      class = c("fcrm_note", "message", "condition"), list(message = paste0(as_note_line(note), "\n"), call = NULL, value = value)
    ))
  }
  for (note in notes[is_warning]) emit_warning(substring(note, nchar(WARNING) + 1L), value)
}

emit_warning <- function(text, value) {
  warning(structure(class = c("fcrm_warning", "warning", "condition"), list(message = text, call = NULL, value = value)))
}

# The verdict "hold" as a warning.
warn_of_hold <- function(verdict, value) {
  if (identical(verdict$status, "hold")) emit_warning(verdict$headline, value)
}

WARNING <- "WARNING: " # Python writes it in front of warnings

# Notes as lines.
as_note_line <- function(notes) paste0(ifelse(startsWith(notes, WARNING), "", "note: "), notes, recycle0 = TRUE)
