# sweep_methods(): many candidates on one file, judged by one yardstick.

sweep_methods <- function(df, methods, independent = NULL, dependent = NULL, seed = NULL, missing = "refuse",
                          round_integers = TRUE, constraints = NULL, identifiers = NULL, unknown = NULL) {
  check_frame("sweep_methods", "df", df)
  if (inherits(methods, "fcrm_method")) methods <- list(methods)
  if (!is.list(methods)) check_method("sweep_methods", methods, "methods")
  for (method in methods) check_method("sweep_methods", method, "methods")
  keys <- lapply(methods, method_keys)
  others <- list(constrained_columns(df, constraints), leaving_columns(df, dependent, identifiers))
  sent <- crossing("sweep", df, in_order(df, c(list(independent, dependent), others, keys)))
  roles <- list(
    independent = plain_names(independent), dependent = plain_names(dependent), identifiers = plain_names(identifiers),
    unknown = plain_names(unknown)
  )
  options <- list(
    missing = plain(missing, "sweep", "missing"), round_integers = plain(round_integers, "sweep", "round_integers"),
    constraints = plain(unname(constraints), "sweep", "constraints")
  )
  start <- start_of("sweep_methods", seed, told = "sweep")
  answer <- ask("sweep", sent, lapply(unname(methods), plain_method), roles, start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  as_frontier(answer, unname(methods))
}
