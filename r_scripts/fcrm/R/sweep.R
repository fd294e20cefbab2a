# sweep_methods(): many candidates on one file, with the same evaluation.

sweep_methods <- function(df, methods, independent = NULL, dependent = NULL, seed = NULL, missing = "refuse",
                          round_integers = TRUE, constraints = NULL, identifiers = NULL, unknown = NULL,
                          strata = NULL, weights = NULL, preserve = NULL, structure = NULL) {
  check_frame("sweep_methods", "df", df)
  if (inherits(methods, "fcrm_method")) methods <- list(methods)
  if (!is.list(methods)) check_method("sweep_methods", methods, "methods")
  for (method in methods) check_method("sweep_methods", method, "methods")
  roles <- roles_of("sweep_methods", df, independent, dependent, identifiers, unknown)
  keys <- lapply(methods, method_keys)
  others <- list(constrained_columns(df, constraints), strata, preserve_columns(df, weights, preserve), unmodified_columns(df, roles$dependent, identifiers))
  table <- packed_table("sweep", df, in_order(df, c(list(roles$independent, roles$dependent), others, keys)))
  options <- plain_options(
    "sweep", missing = missing, round_integers = round_integers, constraints = unname(constraints), strata = unname(strata),
    weights = weights, preserve = unname(preserve), structure = plain_structure("sweep", structure)
  )
  random <- seed_arguments("sweep_methods", seed, verb = "sweep")
  answer <- call_python("sweep", table, lapply(unname(methods), plain_method), plain_roles("sweep_methods", roles), random$seed, random$state, options)
  set_random_state(random, answer[["state"]])
  as_frontier(answer, unname(methods))
}
