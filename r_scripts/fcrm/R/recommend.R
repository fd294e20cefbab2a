# recommend(): searches the method of which users lose least among those whose releases pass the verdict. Plain R data.

# What recommend() does, whose formal arguments are in R/generated.R. columns : names by role; options : by name.
recommend_frame <- function(df, columns, options, limits, max_dr, seed, candidates) {
  check_frame("recommend", "df", df)
  if (inherits(candidates, "fcrm_method")) candidates <- list(candidates)
  if (!is.null(candidates) && !is.list(candidates)) check_method("recommend", candidates, "candidates")
  for (method in candidates) check_method("recommend", method, "candidates")
  roles <- roles_of(
    "recommend", df, columns$independent, columns$dependent, columns$identifiers, columns$unknown, list(product = columns$product)
  )
  others <- list(
    constrained_columns(df, options$constraints), options$strata, preserve_columns(df, options$weights, options$preserve),
    unmodified_columns(df, roles$dependent, columns$identifiers), declared_columns(df, options$variables)
  )
  table <- packed_table("recommend", df, in_order(df, c(list(roles$independent, roles$dependent), others)))
  searched <- plain_options("recommend", limits = plain_limits("recommend", limits), max_dr = max_dr)
  arguments <- c(searched, converted_options("recommend", options))
  methods <- if (!is.null(candidates)) lapply(unname(candidates), plain_method)
  random <- seed_arguments("recommend", seed)
  answer <- call_python("recommend", table, methods, plain_roles("recommend", roles), random$seed, random$state, arguments)
  set_random_state(random, answer[["state"]])
  as_recommendation(answer)
}

as_recommendation <- function(answer) {
  table <- frame_from_bytes(answer[["rows"]])
  other <- c("method", "parameters", "pil_sd", "attributable_sd", "seeds", "verdict", "failed", "choice")
  candidates <- lapply(seq_len(nrow(table)), function(k) {
    notes <- as.character(answer[["notes"]][[k]])
    values <- unlist(table[k, setdiff(names(table), other)])
    structure(list(method = as_r_method(answer[["methods"]][[k]]), values = values, notes = notes), class = "fcrm_candidate")
  })
  aside <- vapply(answer[["set_aside"]], function(pair) as.character(pair[[2L]]), "")
  names(aside) <- vapply(answer[["set_aside"]], function(pair) as.character(pair[[1L]]), "")
  in_r <- function(texts) with_methods(texts, as.character(answer[["labels"]]), vapply(candidates, format, ""))
  chosen <- function(choice) candidates[table$choice == choice]
  structure(
    list(
      best = if (length(chosen("best"))) chosen("best")[[1L]], second = if (length(chosen("second"))) chosen("second")[[1L]],
      nearest = candidates[as.integer(unlist(answer[["nearest"]]))], reasons = in_r(as.character(answer[["reasons"]])), candidates = candidates, table = table,
      verdict = as_verdict(answer[["verdict"]]), headline = in_r(answer[["headline"]]), set_aside = aside,
      seeds = as_seeds(answer[["seeds"]])
    ),
    class = "fcrm_recommendation"
  )
}

# Numbers as a vector, states as a list.
as_seeds <- function(answer) {
  seeds <- lapply(answer, as_seed)
  if (all(lengths(seeds) == 1L)) as.numeric(unlist(seeds)) else seeds
}

# A method from Python, built by its constructor.
as_r_method <- function(answer) {
  parameters <- lapply(answer[["parameters"]], function(value) {
    if (is.list(value) && !is.null(value[["parameters"]])) return(as_r_method(value))
    if (is.integer(value)) as.numeric(value) else value
  })
  do.call(get(constructor(answer[["name"]]), envir = environment(recommend), mode = "function"), parameters)
}

as.data.frame.fcrm_recommendation <- function(x, ...) x$table

print.fcrm_recommendation <- function(x, ...) {
  cat(x$headline, "\n\n", length(x$candidates), ngettext(length(x$candidates), " method", " methods"), " tried; of the shortlist means over ", length(x$seeds), " fresh seeds, per cent:\n\n", sep = "")
  keep <- which(x$table$seeds > 0)
  print_candidates(x, keep[order(match(x$table$choice[keep], c("best", "second", "nearest", "")), x$table[[loss_of(x$table)]][keep])])
  cat("\n")
  print_sentences(x$reasons)
  invisible(x)
}

summary.fcrm_recommendation <- function(object, ...) {
  structure(list(recommendation = object), class = "summary.fcrm_recommendation")
}

print.summary.fcrm_recommendation <- function(x, ...) {
  recommendation <- x$recommendation
  cat("All", length(recommendation$candidates), "methods, by", loss_of(recommendation$table), "\n\n")
  print_candidates(recommendation, order(recommendation$table[[loss_of(recommendation$table)]]))
  aside <- recommendation$set_aside
  print_notes(paste0(names(aside), " is set aside: ", aside, recycle0 = TRUE))
  invisible(x)
}

# The rows `keep` of the table, with the method in R's notation.
print_candidates <- function(x, keep) {
  candidate <- vapply(x$candidates[keep], format, "")
  figures <- x$table[keep, c("utility", "utility_rms", "pil", "pil_sd", "attributable", "dr")]
  print_figures(cbind(choice = x$table$choice[keep], candidate = candidate, figures, x$table[keep, c("verdict", "failed")]))
}

plot.fcrm_recommendation <- function(x, main = "Recommendation", labels = TRUE, ...) {
  known <- !is.na(x$table$attributable)
  plot.fcrm_frontier(list(table = x$table[known, ]), main = main, labels = labels, risk = "attributable", ...)
  best <- x$table$choice == "best"
  points(x$table$attributable[best], x$table[[loss_of(x$table)]][best], pch = 1, cex = 2.4, lwd = 2)
  invisible(x)
}

notes.fcrm_recommendation <- function(x, ...) {
  setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))
}
