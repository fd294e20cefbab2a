# Tables about a file, or about a file and its release: data.frames with the printed form of Python.

TABLES_MODULE <- "r_bridge.from_r.tables"

as_table <- function(answer, class) {
  rows <- if (length(answer[["rows"]])) frame_from_bytes(answer[["rows"]]) else data.frame()
  structure(rows, text = answer[["text"]], class = c(class, "fcrm_table", "data.frame"))
}

print.fcrm_table <- function(x, ...) {
  text <- attr(x, "text")
  if (is.null(text)) print(as.data.frame(x), ...) else cat(text, "\n", sep = "")
  invisible(x)
}

# A part of the table is a plain data.frame.
`[.fcrm_table` <- function(x, ...) as.data.frame(x)[...]

as.data.frame.fcrm_table <- function(x, ...) structure(unclass(x), text = NULL, p_value = NULL, json = NULL, html = NULL, toml = NULL, roles = NULL, steps = NULL, levels = NULL, loss = NULL, suppressed = NULL, choice = NULL, product = NULL, vcov = NULL, df.residual = NULL, class = "data.frame")

tidy.fcrm_table <- function(x, ...) as.data.frame(x)

# A table from Python about two files. variables : what is declared of them, as in protect(); by default as for a release of this session.
pair_table <- function(verb, df, released, options, variables, ...) {
  check_frame(verb, "df", df)
  if (is.null(variables)) variables <- stored_release(released)$options$variables
  options <- c(options, plain_options(verb, variables = variables))
  released <- releases_of(if (is.character(released)) read_table(released) else released)
  labels <- paired_labels(df, released)
  packed <- function(x, labels) c(packed_table(verb, x, list(supported_columns(x))), labels = list(labels))
  answer <- call_python(verb, packed(df, labels$original), packed(released, labels$released), options, ..., module = TABLES_MODULE)
  table <- structure(as_table(answer, paste0("fcrm_", verb)), p_value = answer[["p_value"]])
  if (!is.null(answer[["cov"]])) {
    attr(table, "vcov") <- matrix(column_from_bytes(answer[["cov"]]), nrow(table), byrow = TRUE, dimnames = list(table$term, table$term))
    attr(table, "df.residual") <- answer[["freedom"]]
  }
  table
}

supported_columns <- function(df) names(df)[vapply(names(df), function(name) !is.na(kind_of(column_of(df, name))), NA)]

records_at_risk <- function(df, released, columns = NULL, variables = NULL) {
  pair_table("records_at_risk", df, released, list(columns = plain_names(columns, "records_at_risk")), variables)
}

variable_changes <- function(df, released, columns = NULL, variables = NULL) {
  pair_table("variable_changes", df, released, list(columns = plain_names(columns, "variable_changes")), variables)
}

# formula : as for lm(), wage ~ sex * age, or its text. roles : a list whose sampling design counts; by default those of the release.
analyse <- function(df, released, formula, weights = NULL, family = "gaussian", quantile = NULL, variables = NULL,
                    roles = NULL) {
  if (inherits(formula, "formula")) formula <- deparse1(formula)
  if (is.function(family)) family <- family()
  if (inherits(family, "family")) family <- family$family
  options <- plain_options("analyse", formula = formula, weights = weights, family = family, quantile = quantile)
  pair_table("analyse", df, released, options, variables, design_roles("analyse", roles, released))
}

# Estimates of the release, as those of lm() on it; a coefficient that the release does not determine is NA.
coef.fcrm_analyse <- function(object, ...) {
  estimates <- object$protected
  estimates[is.nan(estimates)] <- NA
  setNames(estimates, object$term)
}

vcov.fcrm_analyse <- function(object, ...) {
  covariances <- attr(object, "vcov")
  covariances[is.nan(covariances)] <- NA
  covariances
}

df.residual.fcrm_analyse <- function(object, ...) attr(object, "df.residual")

confint.fcrm_analyse <- function(object, parm, level = 0.95, ...) {
  estimates <- stats::coef(object)
  tails <- c((1 - level) / 2, (1 + level) / 2)
  se <- sqrt(diag(stats::vcov(object)))
  limits <- estimates + outer(se, stats::qt(tails, stats::df.residual(object)))
  dimnames(limits) <- list(names(estimates), paste(format(100 * tails, trim = TRUE, scientific = FALSE, digits = 3), "%"))
  if (missing(parm)) limits else limits[parm, , drop = FALSE]
}

# Whether released records depend on their own originals. Roles as in protect(); by default those of the release.
dependence_test <- function(df, released, independent = NULL, dependent = NULL, permutations = 199, seed = 1,
                            variables = NULL) {
  roles <- roles_of("dependence_test", df, independent, dependent)
  if (is.null(roles$dependent)) roles <- provenance_of(released)$roles
  if (is.null(roles)) stop_parameter("dependence_test", "dependent", "must name the protected columns", "nothing")
  options <- plain_options("dependence_test", permutations = permutations, seed = seed)
  pair_table("dependence_test", df, released, options, variables, plain_roles("dependence_test", roles))
}

# With a format, its document as one text.
codebook <- function(released, format = NULL) {
  stored <- stored_release(released)
  if (is.null(stored)) {
    rule <- "must be a release of this session, as protect() returned it"
    stop_parameter("codebook", "released", rule, described_release(released))
  }
  provenance <- provenance_of(released)
  if (isS4(released)) {
    provenance <- with_old_ids(provenance)
    released <- coded_files(released)$present
  }
  provenance <- plain_provenance(provenance, stored)
  frame <- releases_of(released)
  table <- packed_table("codebook", frame, list(supported_columns(frame)))
  options <- plain_options("codebook", format = format)
  answer <- call_python("codebook", table, provenance, options, module = TABLES_MODULE)
  if (!is.null(format)) return(answer[["document"]])
  structure(
    as_table(answer, "fcrm_codebook"),
    relations = as.character(unlist(answer[["relations"]])), json = answer[["json"]], html = answer[["html"]]
  )
}

# What each column may contain: a row for each. toml : a file for the declarations, which `variables` takes.
describe <- function(df, toml = NULL, variables = NULL) {
  check_frame("describe", "df", df)
  table <- packed_table("describe", df, list(supported_columns(df)))
  options <- plain_options("describe", variables = variables)
  answer <- call_python("describe", table, options, module = TABLES_MODULE)
  if (!is.null(toml)) {
    plain_path(toml, "toml", "describe") # refuses what is no path
    writeLines(enc2utf8(answer[["toml"]]), toml, useBytes = TRUE)
  }
  structure(as_table(answer, "fcrm_variables"), toml = answer[["toml"]])
}

# What a user declares of a column. Fields that are left out are inferred; Python checks them.
variable <- function(kind = NULL, codes = NULL, missing_codes = NULL, bounds = NULL, decimals = NULL, format = NULL, label = NULL) {
  fields <- list(
    kind = kind, codes = codes, missing_codes = missing_codes, bounds = bounds, decimals = decimals, format = format, label = label
  )
  structure(Filter(Negate(is.null), fields), class = "fcrm_variable")
}

# Proposed roles: a row for each column. protect() accepts the result as `independent`.
suggest_roles <- function(df, product = "research", variables = NULL) {
  check_frame("suggest_roles", "df", df)
  table <- packed_table("suggest_roles", df, list(supported_columns(df)))
  options <- plain_options("suggest_roles", product = product, variables = variables)
  answer <- call_python("suggest_roles", table, options, module = TABLES_MODULE)
  table <- as_table(answer, "fcrm_roles")
  structure(table, suggested = table$role, choice = answer[["choice"]], product = answer[["product"]])
}

print.fcrm_roles <- function(x, ...) {
  if (!identical(x$role, attr(x, "suggested"))) attr(x, "text") <- NULL
  print.fcrm_table(x, ...)
}
