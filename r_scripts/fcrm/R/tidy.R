# Methods for the generics of broom (package generics) and of ggplot2, registered when these are loaded. The package does not
# need them. It has generics of its own under broom's names, so that tidy() and glance() work without package generics. For objects
# of others they call broom's generics: it does not matter which package is attached last.

tidy <- function(x, ...) UseMethod("tidy")

glance <- function(x, ...) UseMethod("glance")

tidy.default <- function(x, ...) generic_of_broom("tidy")(x, ...)

glance.default <- function(x, ...) generic_of_broom("glance")(x, ...)

generic_of_broom <- function(name) {
  if (!requireNamespace("generics", quietly = TRUE)) {
    stop_parameter(name, "x", "must be a result of this package: objects of others need the package generics", "another object")
  }
  getExportedValue("generics", name)
}

tidy.fcrm_report <- function(x, ...) as.data.frame(x)

tidy.fcrm_frontier <- tidy.fcrm_report

tidy.fcrm_recommendation <- tidy.fcrm_report

tidy.fcrm_audit <- tidy.fcrm_report

autoplot.fcrm_frontier <- function(object, ...) risk_utility_map(object$table, object$nondominated)

autoplot.fcrm_recommendation <- function(object, ...) risk_utility_map(object$table, object$table$choice == "best")

autoplot.fcrm_report <- function(object, ...) {
  rows <- as.data.frame(object)
  rows <- rows[rows$part == "total", ]
  rows$measure <- factor(rows$measure, rev(rows$measure))
  ggplot2::ggplot(rows, by_name(x = "value", y = "measure")) +
    ggplot2::geom_point(size = 3, colour = COLOURS[1L]) +
    ggplot2::geom_point(by_name(x = "baseline"), shape = 124, size = 4, na.rm = TRUE) +
    ggplot2::labs(x = "per cent; | is what pairing records at random gives", y = NULL)
}

# Labels as in plot(): of all points if they are few, else of those on the line. Invisible labels at the points come first, so that
# ggplot2 omits a label that would cover a point or another label.
risk_utility_map <- function(table, best) {
  families <- unique(table$method)
  loss <- loss_of(table)
  table$loss <- table[[loss]]
  table <- table[order(!best), ]
  line <- table[seq_len(sum(best)), ]
  named <- if (nrow(table) <= MAX_LABELS) table else line
  texts <- rbind(
    data.frame(dr = table$dr, loss = table$loss, words = rep("o", nrow(table)), up = 0.5, seen = 0),
    data.frame(dr = named$dr, loss = named$loss, words = named$parameters, up = -0.9, seen = 1)
  )
  table$method <- factor(table$method, families)
  ggplot2::ggplot(table, by_name(x = "dr", y = "loss", colour = "method", shape = "method")) +
    (if (nrow(line) > 1L) ggplot2::geom_line(by_name(x = "dr", y = "loss"), line, colour = "grey60", inherit.aes = FALSE)) +
    ggplot2::geom_point(size = 2) +
    ggplot2::geom_text(
      by_name(x = "dr", y = "loss", label = "words", vjust = "up", alpha = "seen"), texts, inherit.aes = FALSE,
      check_overlap = TRUE, hjust = "inward", size = 2.8, colour = "grey25"
    ) +
    ggplot2::scale_alpha_identity() +
    ggplot2::scale_colour_manual(values = rep_len(COLOURS, length(families))) +
    ggplot2::scale_shape_manual(values = family_marks(length(families))) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(0.12)) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(c(0.05, 0.1))) +
    ggplot2::labs(
      x = "disclosure risk DR, % (left is safer)", y = paste(LOSSES[[loss]], "(down is better)"), colour = NULL, shape = NULL
    )
}

by_name <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))

# One row: the whole file's measures and the verdict.
glance.fcrm_report <- function(x, ...) {
  rows <- as.data.frame(x)
  rows <- rows[rows$part == "total", ]
  data.frame(as.list(setNames(rows$value, rows$measure)), verdict = x$verdict$status)
}
