# Roles of columns: vectors of names; or `independent` is a formula, wage + tax ~ age + hours, or a result of suggest_roles().

roles_of <- function(owner, df, independent, dependent, identifiers = NULL, unknown = NULL, more = list()) {
  if (inherits(independent, "fcrm_roles")) {
    roles <- roles_in_table(owner, independent)
    roles$product <- attr(independent, "product")
    further <- Filter(Negate(is.null), c(list(dependent = dependent, identifiers = identifiers, unknown = unknown), more))
    roles[names(further)] <- further
    return(roles)
  }
  if (inherits(independent, "formula")) {
    if (!is.null(dependent)) {
      stop_parameter(owner, "dependent", "must not be given with a formula, which names these columns", "both")
    }
    sides <- as.list(independent)[-1L]
    if (length(sides) == 1L) stop_parameter(owner, "formula", "must name the dependent columns on its left", "no left side")
    dependent <- names_in(owner, sides[[1L]])
    others <- if (!is.null(df)) setdiff(names(df), c(dependent, as.character(identifiers)))
    independent <- names_in(owner, sides[[2L]], others)
  }
  c(list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown), more)
}

ROLES <- c(
  "independent", "dependent", "identifiers", "unknown", "weight", "household", "unit", "time", "psu", "sampling_stratum",
  "replicate_weights"
)
# Parts of roles that name no columns.
ROLE_VALUES <- c("product", "replicate_type", "replicate_scale", "replicate_rscales")

# Roles of which standard errors use the sampling design: those given, or those of a release that has one; NULL without.
design_roles <- function(owner, roles, released) {
  if (is.null(roles)) {
    roles <- provenance_of(released)$roles
    if (!length(unlist(roles[c("psu", "sampling_stratum", "replicate_type")]))) {
      return(NULL)
    }
  }
  other <- setdiff(names(roles), c(ROLES, ROLE_VALUES))
  if (!is.list(roles) || is.null(names(roles)) || length(other)) {
    stop_parameter(owner, "roles", "must be a list such as list(weight = \"w\", psu = \"village\")", c(other, class(roles))[1L])
  }
  plain_roles(owner, Filter(Negate(is.null), roles))
}

# Roles by the rows of a result of suggest_roles(), which the user may have changed.
roles_in_table <- function(owner, table) {
  other <- setdiff(table$role, c(ROLES, "leave"))
  if (length(other)) stop_input(owner, paste("a role must be one of", toString(c(ROLES, "leave"))), other[1L])
  lapply(setNames(nm = ROLES), function(role) {
    columns <- as.character(table$column[table$role == role])
    if (length(columns)) columns
  })
}

# Names on a side of a formula, a sum of columns; a dot means all `others`, 1 and 0 none.
names_in <- function(owner, side, others = NULL) {
  if (is.call(side) && length(side) == 3L && identical(side[[1L]], quote(`+`))) {
    return(unique(c(names_in(owner, side[[2L]], others), names_in(owner, side[[3L]], others))))
  }
  if (identical(side, quote(.)) && !is.null(others)) {
    return(others)
  }
  if (identical(side, 1) || identical(side, 0)) {
    return(character())
  }
  if (!is.name(side) || identical(side, quote(.))) {
    stop_parameter(owner, "formula", "must be names of columns joined by +, on both sides of ~", paste(deparse(side), collapse = " "))
  }
  as.character(side)
}

# The roles as an argument for Python.
plain_roles <- function(owner, roles) {
  setNames(lapply(names(roles), function(part) plain_names(roles[[part]], owner, part)), names(roles))
}
