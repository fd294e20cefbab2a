# A frontier: candidates judged alike, with the seed that repeats any of them. Plain R data.

as_frontier <- function(answer, methods) {
  table <- frame_from_bytes(answer[["rows"]])
  dominated <- !table$nondominated
  table$nondominated <- NULL
  values <- table[setdiff(names(table), c("method", "parameters"))]
  candidates <- lapply(seq_along(methods), function(k) {
    noted <- as.character(answer[["notes"]][[k]])
    structure(list(method = methods[[k]], values = unlist(values[k, ]), notes = noted), class = "fcrm_candidate")
  })
  frontier <- list(
    candidates = candidates, table = table, nondominated = !dominated, seed = as_start(answer[["seed"]]),
    kept = as_kept(answer[["kept"]])
  )
  structure(frontier, class = "fcrm_frontier")
}

best <- function(frontier, max_dr = 15, risk = "dr") {
  if (!inherits(frontier, "fcrm_frontier")) {
    stop_parameter("best", "frontier", "must be what sweep_methods() gives", class(frontier)[1L])
  }
  if (!is.numeric(max_dr) || length(max_dr) != 1L || !is.finite(max_dr) || max_dr < 0 || max_dr > 100) {
    stop_parameter("best", "max_dr", "must be a finite number from 0 to 100", deparse(max_dr)[1L])
  }
  risk <- one_risk("best", risk)
  table <- frontier$table
  unpaired <- is.na(table[[risk]])
  if (any(unpaired)) {
    named <- toString(vapply(frontier$candidates[unpaired], format, ""))
    warning(named, " left out: records do not pair, so there is no ", RISKS[[risk]], "; audit() says what such releases tell", call. = FALSE)
  }
  if (all(unpaired)) stop_parameter("best", "max_dr", "is a limit on what none of these candidates has: their records do not pair", format(max_dr))
  within <- which(table[[risk]] <= max_dr)
  if (length(within) == 0L) {
    least <- which.min(table[[risk]])
    rule <- "must be at least %.4g, the least %s of these candidates (%s)"
    rule <- sprintf(rule, table[[risk]][least], RISKS[[risk]], format(frontier$candidates[[least]]))
    stop_parameter("best", "max_dr", rule, format(max_dr))
  }
  frontier$candidates[[within[order(table$pil[within], table[[risk]][within])][1L]]]
}

RISKS <- c(dr = "DR", dr_informed = "DR by who knows the method")

one_risk <- function(owner, risk) {
  if (is.character(risk) && length(risk) == 1L && risk %in% names(RISKS)) return(risk)
  stop_parameter(owner, "risk", "must be one of 'dr', 'dr_informed'", deparse(risk)[1L])
}

as.data.frame.fcrm_frontier <- function(x, ...) x$table

print.fcrm_frontier <- function(x, ...) {
  cat("Frontier of", length(x$candidates), "candidates. Per cent; * has no better one in both pil and dr.\n\n")
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
  cat(length(keep), "of", length(frontier$candidates), "candidates have no better one in both pil and dr:\n\n")
  print_figures(cbind(candidate = labels_of(frontier)[keep], frontier$table[keep, -(1:2)]))
  said <- notes(frontier)[keep]
  print_notes(paste0(rep(names(said), lengths(said)), ": ", unlist(said), recycle0 = TRUE))
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
