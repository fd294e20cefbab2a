# Base graphics. Colours of Okabe and Ito, which colour-blind readers can distinguish, as in Python's figures.

COLOURS <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS <- c(19, 15, 18, 17, 6, 8, 4)

# After the last colour, colours are repeated with other marks.
family_marks <- function(many) {
  k <- seq_len(many) - 1L
  MARKS[(k + 3L * (k %/% length(COLOURS))) %% length(MARKS) + 1L]
}

plot.fcrm_report <- function(x, main = "Report", ...) {
  rows <- as.data.frame(x)
  rows <- rows[rows$part == "total", ]
  rows <- rows[rev(seq_len(nrow(rows))), ]
  y <- seq_len(nrow(rows))
  before <- par(mar = c(4.1, 8.1, 3.1, 1.1), las = 1)
  on.exit(par(before))
  span <- range(0, 100, rows$value, rows$baseline, na.rm = TRUE)
  plot(
    rows$value, y, type = "n", xlim = span, ylim = c(0.5, nrow(rows) + 0.5), yaxt = "n", bty = "n",
    xlab = "per cent", ylab = "", main = main, ...
  )
  abline(h = y, col = "grey90")
  axis(2, y, rows$measure, tick = FALSE)
  segments(0, y, rows$value, y, lwd = 2, col = COLOURS[1L])
  points(rows$value, y, pch = 19, cex = 1.3, col = COLOURS[1L])
  points(rows$baseline, y, pch = 124, cex = 1.6)
  if (!all(is.na(rows$baseline))) mtext("|  what pairing records at random gives", side = 3, adj = 1, cex = 0.8)
  invisible(x)
}

plot.fcrm_frontier <- function(x, main = "Risk-utility map", labels = TRUE, risk = "dr", loss = NULL, ...) {
  table <- x$table
  across <- table[[check_risk("plot", risk)]]
  loss <- check_loss("plot", loss, table)
  up <- table[[loss]]
  optimal <- vapply(seq_along(across), function(k) {
    as_good <- across <= across[k] & up <= up[k]
    !any(as_good & (across < across[k] | up < up[k]))
  }, NA)
  families <- unique(table$method)
  family <- match(table$method, families)
  colours <- rep_len(COLOURS, length(families))
  marks <- family_marks(length(families))
  best <- which(optimal)[order(across[optimal])]
  margin <- max(strwidth(c(families, "not dominated"), "inches", cex = 0.8)) + 0.45  # of the legend
  before <- par(mai = c(par("mai")[1:3], margin))
  on.exit(par(before))
  plot(
    across, up, type = "n", bty = "n", xlim = c(0, 1.1 * max(across)), ylim = c(0, 1.1 * max(up)),
    xlab = paste0("disclosure risk ", RISKS[[risk]], ", % (left is safer)"),
    ylab = paste(LOSSES[[loss]], "(down is better)"), main = main, ...
  )
  lines(across[best], up[best], col = "grey60")
  points(across, up, pch = marks[family], col = colours[family], cex = 1.2)
  if (labels) {
    few <- nrow(table) <= MAX_LABELS
    draw_labels(across, up, table$parameters, if (few) seq_along(across) else best, best)
  }
  legend(
    par("usr")[2L], par("usr")[4L], c(families, "not dominated"), bty = "n", cex = 0.8, pch = c(marks, NA), xpd = NA,
    lty = c(rep(NA, length(families)), 1), col = c(colours, "grey60")
  )
  invisible(x)
}
