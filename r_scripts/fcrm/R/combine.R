# Copies of a release: a list of frames, which evaluate() evaluates together; combine(): combining rules for their estimates.

as_copies <- function(releases) structure(releases, class = c("fcrm_copies", "list"))

print.fcrm_copies <- function(x, ...) {
  first <- x[[1L]]
  cat(length(x), " copies of a release, ", nrow(first), " records and ", ncol(first), " columns each: x[[1]] is the first\n", sep = "")
  invisible(x)
}

combine <- function(analyses, ...) UseMethod("combine")

combine.default <- function(analyses, ...) {
  stop_parameter("combine", "analyses", "must be a list of fits, or of frames with a formula", class(analyses)[1L])
}

combine.lm <- function(analyses, ...) combine(list(analyses), ...)

combine.data.frame <- function(analyses, ...) combine(list(analyses), ...)

# roles : with `formula`, a list whose sampling design counts; by default those of the copies, if they have one.
combine.list <- function(analyses, rule = NULL, formula = NULL, roles = NULL, ...) {
  refuse_further("combine", ...)
  if (is.null(formula) && !is.null(roles)) {
    stop_parameter("combine", "roles", "must come with `formula`: a fit has its own design", class(roles)[1L])
  }
  if (!is.null(formula) && length(analyses)) {
    design <- design_roles("combine", roles, analyses[[1L]])
    if (!is.null(design)) return(combined_by_design(analyses, rule, formula, design))
  }
  if (!is.null(formula)) analyses <- lapply(analyses, function(copy) stats::lm(formula, as.data.frame(copy)))
  fits <- lapply(analyses, fit_as_numbers)
  terms <- lapply(fits, `[[`, "terms")
  if (!length(fits)) stop_parameter("combine", "analyses", "must hold the analysis of at least one copy", "none")
  if (length(unique(terms)) > 1L) stop_input("combine", "every analysis must have the terms of the first", toString(terms[[1L]]))
  numbers <- lapply(fits, function(fit) fit[c("coef", "se", "records", "freedom")])
  as_combined(call_python("combine", pack_texts(terms[[1L]]), numbers, plain(rule, "combine", "rule")))
}

# The regression of each copy with the variances of a sampling design, which Python computes. formula : as for lm(), or its text.
combined_by_design <- function(copies, rule, formula, design) {
  if (inherits(formula, "formula")) formula <- deparse1(formula)
  tables <- lapply(copies, function(copy) packed_table("combine", copy, list(supported_columns(copy))))
  options <- plain_options("combine", rule = rule, formula = formula)
  as_combined(call_python("combine_copies", unname(tables), options, design))
}

as_combined <- function(answer) {
  structure(
    frame_from_bytes(answer[["rows"]]),
    rule = answer[["rule"]], title = answer[["title"]], notes = as.character(answer[["notes"]]),
    class = c("fcrm_combined", "data.frame")
  )
}

# Estimates and standard errors of a fit whose summary() has a table of coefficients, such as those of lm() and glm().
fit_as_numbers <- function(fit) {
  table <- tryCatch(stats::coef(summary(fit)), error = function(e) NULL)
  if (!is.matrix(table) || !is.numeric(table) || ncol(table) < 2L) {
    stop_parameter("combine", "analyses", "must be a list of fits whose summary has coefficients, as those of lm()", class(fit)[1L])
  }
  free <- stats::df.residual(fit)
  list(
    terms = rownames(table), coef = as.list(unname(table[, 1L])), se = as.list(unname(table[, 2L])),
    records = as.numeric(stats::nobs(fit)), freedom = if (is.null(free)) 0 else as.numeric(free)
  )
}

print.fcrm_combined <- function(x, ...) {
  cat(attr(x, "title"), "\n\n", sep = "")
  print_figures(as.data.frame(x))
  print_notes(attr(x, "notes"))
  invisible(x)
}

as.data.frame.fcrm_combined <- function(x, ...) {
  attributes(x) <- attributes(x)[c("names", "row.names")]
  class(x) <- "data.frame"
  x
}

notes.fcrm_combined <- function(x, ...) attr(x, "notes")
