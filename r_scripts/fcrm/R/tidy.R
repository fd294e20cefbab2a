# For who works with broom and ggplot2: registered when these are loaded, needed by nothing.

tidy.fcrm_report <- function(x, ...) as.data.frame(x)

tidy.fcrm_frontier <- tidy.fcrm_report

tidy.fcrm_recommendation <- tidy.fcrm_report

tidy.fcrm_audit <- tidy.fcrm_report

autoplot.fcrm_frontier <- function(object, ...) risk_utility_map(object$table, object$nondominated)

autoplot.fcrm_recommendation <- function(object, ...) {
  limit <- ggplot2::geom_vline(xintercept = object$max_dr, linetype = 2)
  risk_utility_map(object$table, object$table$frontier) + limit
}

autoplot.fcrm_report <- function(object, ...) {
  rows <- as.data.frame(object)
  rows <- rows[rows$part == "total", ]
  rows$measure <- factor(rows$measure, rev(rows$measure))
  ggplot2::ggplot(rows, by_name(x = "value", y = "measure")) +
    ggplot2::geom_point(size = 3, colour = COLOURS[1L]) +
    ggplot2::geom_point(by_name(x = "baseline"), shape = 124, size = 4, na.rm = TRUE) +
    ggplot2::labs(x = "per cent; | is what pairing records at random gives", y = NULL)
}

risk_utility_map <- function(table, best) {
  ggplot2::ggplot(table, by_name(x = "dr", y = "pil", colour = "method")) +
    ggplot2::geom_line(by_name(x = "dr", y = "pil"), table[best, ], colour = "grey60", inherit.aes = FALSE) +
    ggplot2::geom_point(size = 2) +
    ggplot2::labs(x = "disclosure risk DR, % (left is safer)", y = "information loss PIL, % (down is better)", colour = NULL)
}

by_name <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))
