# sweep_methods(): many candidates on one file, with the same evaluation.

# What sweep_methods() does, whose formal arguments are in R/generated.R. columns : names by role; options : by name.
sweep_frame <- function(df, columns, options, methods, seed) {
  check_frame("sweep_methods", "df", df)
  if (inherits(methods, "fcrm_method")) methods <- list(methods)
  if (!is.list(methods)) check_method("sweep_methods", methods, "methods")
  for (method in methods) check_method("sweep_methods", method, "methods")
  roles <- roles_of(
    "sweep_methods", df, columns$independent, columns$dependent, columns$identifiers, columns$unknown, list(product = columns$product)
  )
  keys <- lapply(methods, method_keys)
  others <- list(
    constrained_columns(df, options$constraints), options$strata, preserve_columns(df, options$weights, options$preserve),
    unmodified_columns(df, roles$dependent, columns$identifiers), declared_columns(df, options$variables)
  )
  table <- packed_table("sweep", df, in_order(df, c(list(roles$independent, roles$dependent), others, keys)))
  arguments <- converted_options("sweep", options)
  random <- seed_arguments("sweep_methods", seed, verb = "sweep")
  answer <- call_python("sweep", table, lapply(unname(methods), plain_method), plain_roles("sweep_methods", roles), random$seed, random$state, arguments)
  set_random_state(random, answer[["state"]])
  as_frontier(answer, unname(methods))
}
