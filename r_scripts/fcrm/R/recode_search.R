# recode_search(): recoding and suppression of key variables for k-anonymity, l-diversity and t-closeness.

# hierarchies : by key, the path of a CSV file in ARX's form, a data.frame of such rows, list(digits = ) or list(cuts = ).
# roles : a list such as list(identifiers = "name", weight = "w").
recode_search <- function(df, keys, hierarchies, k, l = NULL, t = NULL, targets = NULL, loss = "entropy",
                          max_suppressed = NULL, roles = NULL, variables = NULL) {
  check_frame("recode_search", "df", df)
  if (!is.list(hierarchies) || is.data.frame(hierarchies) || is.null(names(hierarchies))) {
    stop_parameter("recode_search", "hierarchies", "must be a list with the names of keys", class(hierarchies)[1L])
  }
  other <- setdiff(names(roles), c(ROLES, ROLE_VALUES))
  if (!is.null(roles) && (!is.list(roles) || is.null(names(roles)) || length(other))) {
    rule <- "must be a list such as list(identifiers = \"name\", weight = \"w\")"
    stop_parameter("recode_search", "roles", rule, c(other, class(roles))[1L])
  }
  options <- plain_options(
    "recode_search", keys = unname(keys), hierarchies = lapply(hierarchies, plain_hierarchy), k = k, l = l, t = t,
    targets = unname(targets), loss = loss, max_suppressed = max_suppressed, variables = variables
  )
  table <- packed_table("recode_search", df, list(supported_columns(df)))
  plain_roles <- plain_roles("recode_search", Filter(Negate(is.null), as.list(roles)))
  answer <- call_python("recode_search", table, options, plain_roles, module = TABLES_MODULE)
  structure(
    as_table(answer, "fcrm_recoding_search"),
    steps = recoding_steps(answer[["breaks"]], keys, k, targets, roles),
    levels = setNames(as.integer(unlist(answer[["levels"]])), keys), loss = answer[["loss"]],
    suppressed = answer[["suppressed"]]
  )
}

# Rows of a data.frame as vectors of text; other forms are passed as they are.
plain_hierarchy <- function(form) {
  if (!is.data.frame(form)) return(form)
  texts <- vapply(form, as.character, character(nrow(form)))
  unname(split(texts, row(texts)))
}

# The steps that Python has found, in R: recoding of some keys, then local suppression of all.
recoding_steps <- function(answer, keys, k, targets, roles) {
  unknown <- setdiff(unique(c(roles$unknown, targets)), keys)
  roles$unknown <- if (length(unknown)) unknown
  roles$independent <- setdiff(roles$independent, c(keys, targets))
  roles <- Filter(length, roles[setdiff(names(roles), "dependent")])
  suppression <- c(list(localsuppression(k, keys = keys), dependent = unname(keys)), roles)
  if (!length(answer)) return(steps(suppression))
  recoded <- vapply(answer, function(one) one[["key"]], "")
  breaks <- setNames(lapply(answer, as_breaks), recoded)
  roles$identifiers <- NULL # the last step drops them
  steps(c(list(recoding(breaks), dependent = recoded), roles), suppression)
}

# A list of cut points, since one number alone would be a number of classes.
as_breaks <- function(one) {
  if (!is.null(one[["classes"]])) return(as.numeric(one[["classes"]]))
  if (!is.null(one[["cuts"]])) return(as.list(as.numeric(unlist(one[["cuts"]]))))
  setNames(as.list(as.character(unlist(one[["groups"]]))), as.character(unlist(one[["values"]])))
}
