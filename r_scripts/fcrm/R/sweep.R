# sweep_methods(): many candidates on one file, judged by one yardstick.

sweep_methods <- function(df, methods, independent = NULL, dependent = NULL, seed = NULL, missing = "refuse",
                          round_integers = TRUE, constraints = NULL, identifiers = NULL, unknown = NULL,
                          strata = NULL, weights = NULL, preserve = NULL, structure = NULL) {
  check_frame("sweep_methods", "df", df)
  if (inherits(methods, "fcrm_method")) methods <- list(methods)
  if (!is.list(methods)) check_method("sweep_methods", methods, "methods")
  for (method in methods) check_method("sweep_methods", method, "methods")
  roles <- given_roles("sweep_methods", df, independent, dependent, identifiers, unknown)
  keys <- lapply(methods, method_keys)
  others <- list(constrained_columns(df, constraints), strata, answered_columns(df, weights, preserve), leaving_columns(df, roles$dependent, identifiers))
  sent <- crossing("sweep", df, in_order(df, c(list(roles$independent, roles$dependent), others, keys)))
  options <- list(
    missing = plain(missing, "sweep", "missing"), round_integers = plain(round_integers, "sweep", "round_integers"),
    constraints = plain(unname(constraints), "sweep", "constraints"), strata = plain_names(strata),
    weights = plain(weights, "sweep", "weights"), preserve = plain_names(preserve, "sweep", "preserve"),
    structure = plain_structure("sweep", structure)
  )
  start <- start_of("sweep_methods", seed, told = "sweep")
  answer <- ask("sweep", sent, lapply(unname(methods), plain_method), sent_roles("sweep_methods", roles), start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  as_frontier(answer, unname(methods))
}
