# A frontier: candidates with the same evaluation, and the seed that repeats them. Plain R data.

as_frontier <- function(answer, methods) {
  table <- frame_from_bytes(answer[["rows"]])
  dominated <- !table$nondominated
  table$nondominated <- NULL
  values <- table[setdiff(names(table), c("method", "parameters"))]
  candidates <- lapply(seq_along(methods), function(k) {
    notes <- as.character(answer[["notes"]][[k]])
    structure(list(method = methods[[k]], values = unlist(values[k, ]), notes = notes), class = "fcrm_candidate")
  })
  frontier <- list(
    candidates = candidates, table = table, nondominated = !dominated, seed = as_seed(answer[["seed"]]),
    limit = answer[["limit"]]
  )
  structure(frontier, class = "fcrm_frontier")
}

# limits : a list by key; "risk" limits attributable risk, by default as the verdict does.
best <- function(frontier, limits = NULL, max_dr = NULL) {
  if (!inherits(frontier, "fcrm_frontier")) {
    stop_parameter("best", "frontier", "must be a result of sweep_methods()", class(frontier)[1L])
  }
  limits <- c(as.list(limits), list(dr = max_dr)[!is.null(max_dr)])
  if (is.null(limits$risk)) limits$risk <- frontier$limit
  within <- Reduce(`&`, Map(function(key, limit) at_most(frontier$table, key, limit), names(limits), limits))
  keep <- which(within)
  if (length(keep)) {
    table <- frontier$table[keep, ]
    frontier$candidates[[keep[order(table[[loss_of(table)]], table$attributable)][1L]]]
  }
}

LOSSES <- c(utility_rms = "deviation of estimates, standard errors", pil = "information loss PIL, %")

# The column of what users lose: of the utility panel, or PIL where there is no panel.
loss_of <- function(table) if (all(is.na(table$utility_rms))) "pil" else "utility_rms"

check_loss <- function(owner, loss, table) {
  if (is.null(loss)) return(loss_of(table))
  if (is.character(loss) && length(loss) == 1L && loss %in% names(LOSSES)) return(loss)
  stop_parameter(owner, "loss", "must be one of 'utility_rms', 'pil'", deparse(loss)[1L])
}

# Whether each candidate is within the limit on a measure.
at_most <- function(table, key, limit) {
  column <- if (identical(key, "risk")) "attributable" else key
  if (!column %in% names(table)) stop_parameter("best", "limits", paste("must name risk or measures:", toString(names(table)[-(1:2)])), key)
  if (!is.numeric(limit) || length(limit) != 1L || !is.finite(limit) || limit < 0 || limit > 100) {
    stop_parameter("best", key, "must be a finite number from 0 to 100", deparse(limit)[1L])
  }
  !is.na(table[[column]]) & table[[column]] <= limit
}

RISKS <- c(dr = "DR", dr_informed = "DR of a method-aware intruder", attributable = "attributable to the release")

check_risk <- function(owner, risk) {
  if (is.character(risk) && length(risk) == 1L && risk %in% names(RISKS)) return(risk)
  stop_parameter(owner, "risk", "must be one of 'dr', 'dr_informed', 'attributable'", deparse(risk)[1L])
}

as.data.frame.fcrm_frontier <- function(x, ...) x$table

print.fcrm_frontier <- function(x, ...) {
  cat("Frontier of ", length(x$candidates), " candidates. Per cent; * is Pareto-optimal in ", loss_of(x$table), " and dr.\n\n", sep = "")
  shown <- cbind(" " = ifelse(x$nondominated, "*", ""), candidate = labels_of(x), x$table[-(1:2)])
  print_figures(shown)
  invisible(x)
}

summary.fcrm_frontier <- function(object, ...) {
  structure(list(frontier = object), class = "summary.fcrm_frontier")
}

print.summary.fcrm_frontier <- function(x, ...) {
  frontier <- x$frontier
  keep <- which(frontier$nondominated)
  keep <- keep[order(frontier$table$dr[keep])]
  cat(length(keep), "of", length(frontier$candidates), "candidates are Pareto-optimal in", loss_of(frontier$table), "and dr:\n\n")
  print_figures(cbind(candidate = labels_of(frontier)[keep], frontier$table[keep, -(1:2)]))
  texts <- notes(frontier)[keep]
  print_notes(paste0(rep(names(texts), lengths(texts)), ": ", unlist(texts), recycle0 = TRUE))
  invisible(x)
}

labels_of <- function(frontier) vapply(frontier$candidates, format, "")

format.fcrm_candidate <- function(x, ...) format(x$method)

print.fcrm_candidate <- function(x, ...) {
  figures <- formatC(x$values, format = "f", digits = 2L)
  cat(format(x), ": ", paste(names(x$values), figures, collapse = ", "), "\n", sep = "")
  print_notes(x$notes)
  invisible(x)
}
