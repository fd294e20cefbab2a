# recommend(): the method of least information loss within a risk limit, searched for, with its reasons. Plain R data.

recommend <- function(df, independent = NULL, dependent = NULL, max_dr = 15, constraints = NULL, seed = NULL,
                      seconds = 60, seeds = 3, candidates = NULL, missing = "refuse", identifiers = NULL,
                      unknown = NULL, risk = "dr", audits = 1, strata = NULL, weights = NULL, preserve = NULL, structure = NULL) {
  check_frame("recommend", "df", df)
  if (inherits(candidates, "fcrm_method")) candidates <- list(candidates)
  if (!is.null(candidates) && !is.list(candidates)) check_method("recommend", candidates, "candidates")
  for (method in candidates) check_method("recommend", method, "candidates")
  roles <- given_roles("recommend", df, independent, dependent, identifiers, unknown)
  others <- list(constrained_columns(df, constraints), strata, answered_columns(df, weights, preserve), leaving_columns(df, roles$dependent, identifiers))
  sent <- crossing("recommend", df, in_order(df, c(list(roles$independent, roles$dependent), others)))
  options <- list(
    max_dr = plain(max_dr, "recommend", "max_dr"), seconds = plain(seconds, "recommend", "seconds"),
    seeds = plain(seeds, "recommend", "seeds"), missing = plain(missing, "recommend", "missing"),
    constraints = plain(unname(constraints), "recommend", "constraints"), strata = plain_names(strata),
    risk = plain(risk, "recommend", "risk"), audits = plain(audits, "recommend", "audits"),
    weights = plain(weights, "recommend", "weights"), preserve = plain_names(preserved(preserve), "recommend", "preserve"),
    structure = plain_structure("recommend", structure)
  )
  given <- if (!is.null(candidates)) lapply(unname(candidates), plain_method)
  start <- start_of("recommend", seed)
  answer <- ask("recommend", sent, given, sent_roles("recommend", roles), start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  as_recommendation(answer, max_dr, risk)
}

as_recommendation <- function(answer, max_dr, risk) {
  table <- frame_from_bytes(answer[["rows"]])
  measures <- c("pil", "dbrl", "prl", "id", "dr", "score", "linkage_informed", "certain", "dr_informed")
  candidates <- lapply(seq_len(nrow(table)), function(k) {
    method <- as_r_method(answer[["methods"]][[k]])
    noted <- as.character(answer[["notes"]][[k]])
    structure(list(method = method, values = unlist(table[k, measures]), notes = noted), class = "fcrm_candidate")
  })
  aside <- vapply(answer[["set_aside"]], function(pair) as.character(pair[[2L]]), "")
  names(aside) <- vapply(answer[["set_aside"]], function(pair) as.character(pair[[1L]]), "")
  pick <- answer[["pick"]]
  pythons <- paste0(table$method, "(", table$parameters, ")")
  ours <- function(words) with_methods(words, pythons, vapply(candidates, format, ""))
  structure(
    list(
      pick = if (!is.null(pick)) candidates[[pick]], least = candidates[[answer[["least"]]]],
      reasons = ours(as.character(answer[["reasons"]])), candidates = candidates, table = table, max_dr = max_dr, risk = risk,
      complete = answer[["complete"]], seconds = answer[["seconds"]], set_aside = aside,
      seeds = as_starts(answer[["seeds"]]), kept = as_kept(answer[["kept"]])
    ),
    class = "fcrm_recommendation"
  )
}

# Numbers as a vector, states as a list.
as_starts <- function(sent) {
  starts <- lapply(sent, as_start)
  if (all(lengths(starts) == 1L)) as.numeric(unlist(starts)) else starts
}

# A method as Python tells it, built again by its constructor.
as_r_method <- function(told) {
  parameters <- lapply(told[["parameters"]], function(value) {
    if (is.list(value) && !is.null(value[["parameters"]])) return(as_r_method(value))
    if (is.integer(value)) as.numeric(value) else value
  })
  do.call(get(tolower(told[["name"]]), envir = environment(recommend), mode = "function"), parameters)
}

as.data.frame.fcrm_recommendation <- function(x, ...) x$table

print.fcrm_recommendation <- function(x, ...) {
  keep <- which(x$table$frontier)
  keep <- keep[order(x$table[[x$risk]][keep])]
  cat("Recommendation from", length(x$candidates), "methods,", RISKS[[x$risk]], "at most", format(x$max_dr), "with every seed. Per cent;\n")
  cat("those that no other beats in both pil and ", x$risk, "; * is the one recommended.\n\n", sep = "")
  print_judged(x, keep)
  cat("\n")
  print_said(x$reasons)
  invisible(x)
}

summary.fcrm_recommendation <- function(object, ...) {
  structure(list(recommendation = object), class = "summary.fcrm_recommendation")
}

print.summary.fcrm_recommendation <- function(x, ...) {
  found <- x$recommendation
  cat("All", length(found$candidates), "methods, by pil; * is the one recommended. Per cent.\n\n")
  print_judged(found, order(found$table$pil))
  aside <- found$set_aside
  print_notes(paste0(names(aside), " is set aside: ", aside, recycle0 = TRUE))
  invisible(x)
}

# The rows `keep` of the table, the method in front as R writes it.
print_judged <- function(x, keep) {
  candidate <- vapply(x$candidates[keep], format, "")
  figures <- x$table[keep, c("pil", "pil_sd", "dbrl", "prl", "id", "dr", "dr_worst", "dr_informed", "score")]
  seeds <- format(x$table$seeds[keep])
  print_figures(cbind(" " = ifelse(x$table$pick[keep], "*", ""), candidate = candidate, figures, seeds = seeds))
}

plot.fcrm_recommendation <- function(x, main = "Recommendation", labels = TRUE, ...) {
  plot.fcrm_frontier(list(table = x$table), main = main, labels = labels, risk = x$risk, ...)
  abline(v = x$max_dr, lty = 2)
  picked <- x$table$pick
  points(x$table[[x$risk]][picked], x$table$pil[picked], pch = 1, cex = 2.4, lwd = 2)
  invisible(x)
}

notes.fcrm_recommendation <- function(x, ...) {
  setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))
}
