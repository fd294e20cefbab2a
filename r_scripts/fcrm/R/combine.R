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

# roles, variables : with `formula`, a list whose sampling design counts, and what is declared; by default those of the copies.
combine.list <- function(analyses, rule = NULL, formula = NULL, roles = NULL, variables = NULL, ...) {
  refuse_further("combine", ...)
  if (is.null(formula) && !is.null(roles)) {
    stop_parameter("combine", "roles", "must come with `formula`: a fit has its own design", class(roles)[1L])
  }
  if (!is.null(formula) && length(analyses)) {
    design <- design_roles("combine", roles, analyses[[1L]])
    if (is.null(variables)) variables <- stored_release(analyses[[1L]])$options$variables
    if (!is.null(design) || !is.null(variables)) return(combined_in_python(analyses, rule, formula, design, variables))
  }
  if (!is.null(formula)) analyses <- lapply(analyses, function(copy) stats::lm(formula, as.data.frame(copy)))
  fits <- lapply(analyses, fit_as_numbers)
  terms <- lapply(fits, `[[`, "terms")
  if (!length(fits)) stop_parameter("combine", "analyses", "must hold the analysis of at least one copy", "none")
  if (length(unique(terms)) > 1L) stop_input("combine", "every analysis must have the terms of the first", toString(terms[[1L]]))
  numbers <- lapply(fits, function(fit) fit[c("coef", "se", "records", "freedom")])
  as_combined(call_python("combine", pack_texts(terms[[1L]]), numbers, plain(rule, "combine", "rule")))
}

# The regression of each copy, with the variances of a sampling design, and gaps where codes mean missing. formula : as for lm(), or its text.
combined_in_python <- function(copies, rule, formula, design, variables) {
  if (inherits(formula, "formula")) formula <- deparse1(formula)
  tables <- lapply(copies, function(copy) packed_table("combine", copy, list(supported_columns(copy))))
  options <- plain_options("combine", rule = rule, formula = formula, variables = variables)
  as_combined(call_python("combine_copies", unname(tables), options, design))
}

as_combined <- function(answer) {
  structure(
    frame_from_bytes(answer[["rows"]]),
    rule = answer[["rule"]], title = answer[["title"]], notes = as.character(answer[["notes"]]),
    class = c("fcrm_combined", "data.frame")
  )
}

# Estimates and standard errors of a fit: of lm() and glm() by the table of coefficients in summary(), of others, such as svytotal() of
# package survey and analyse(), by coef() and vcov().
fit_as_numbers <- function(fit) {
  table <- tryCatch(stats::coef(summary(fit)), error = function(e) NULL)
  if (is.matrix(table) && is.numeric(table) && ncol(table) >= 2L) {
    estimates <- table[, 1L]
    errors <- table[, 2L]
    terms <- rownames(table)
  } else {
    estimates <- tryCatch(stats::coef(fit), error = function(e) NULL)
    variances <- tryCatch(diag(as.matrix(stats::vcov(fit))), error = function(e) NULL)
    if (!is.numeric(estimates) || length(estimates) != length(variances)) {
      rule <- "must be a list of fits whose summary has coefficients, as those of lm(), or that have coef() and vcov()"
      stop_parameter("combine", "analyses", rule, class(fit)[1L])
    }
    errors <- sqrt(variances)
    terms <- names(estimates)
    if (is.null(terms)) terms <- as.character(seq_along(estimates))
  }
  free <- tryCatch(stats::df.residual(fit), error = function(e) NULL)
  records <- tryCatch(stats::nobs(fit), error = function(e) 0)
  list(
    terms = terms, coef = as.list(unname(estimates)), se = as.list(unname(errors)), records = as.numeric(records),
    freedom = if (is.null(free) || !is.finite(free)) 0 else as.numeric(free)
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
