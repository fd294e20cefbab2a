# Positions of labels on a map, so that none covers a point or another label: pyfcrm/plots/labels.py, in R.

# Candidates in order: next to the point, around it, further away. Centre of the label, in half sizes and gaps.
DIRECTIONS <- rbind(c(1, -1), c(1, 1), c(-1, -1), c(-1, 1), c(0, -1), c(0, 1), c(1, 0), c(-1, 0))
RINGS <- c(1, 2.5, 5, 8, 12, 17, 23)  # gaps away
MAX_LABELS <- 20L
GAP <- 6 / 72  # inches
FAR <- 12 / 72

# points (n, 2), sizes (m, 2) of the labels of the first m points, box c(left, low, right, high), line (k, 2), all in one unit.
# Returns (m, 2), the lower left corner of each label, NA if no position is free.
place_labels <- function(points, sizes, box, gap, line = NULL) {
  marks <- cbind(points - gap, points + gap)
  centres <- points_on(line, gap)
  along <- cbind(centres - gap / 2, centres + gap / 2)
  taken <- matrix(numeric(), 0L, 4L)
  corners <- matrix(NA_real_, nrow(sizes), 2L)
  for (k in seq_len(nrow(sizes))) {
    own <- label_boxes(points[k, ], sizes[k, ], box, gap)
    free <- own[!apply(own, 1L, overlaps, taken) & !apply(own, 1L, overlaps, marks), , drop = FALSE]
    if (nrow(free) == 0L) next
    off <- which(!apply(free, 1L, overlaps, along))
    chosen <- free[if (length(off)) off[1L] else 1L, ]
    taken <- rbind(taken, chosen, deparse.level = 0L)
    corners[k, ] <- chosen[1:2]
  }
  corners
}

label_boxes <- function(point, size, box, gap) {
  ring <- rep(RINGS, each = nrow(DIRECTIONS))
  to <- DIRECTIONS[rep(seq_len(nrow(DIRECTIONS)), length(RINGS)), ]
  x <- point[1L] + to[, 1L] * (size[1L] / 2 + ring * gap)
  y <- point[2L] + to[, 2L] * (size[2L] / 2 + ring * gap)
  own <- cbind(x - size[1L] / 2, y - size[2L] / 2, x + size[1L] / 2, y + size[2L] / 2)
  own[own[, 1L] >= box[1L] & own[, 2L] >= box[2L] & own[, 3L] <= box[3L] & own[, 4L] <= box[4L], , drop = FALSE]
}

# Points on a line through these corners, at most a step apart.
points_on <- function(line, step) {
  if (is.null(line) || nrow(line) < 2L) return(matrix(numeric(), 0L, 2L))
  parts <- lapply(seq_len(nrow(line) - 1L), function(k) {
    segment <- line[k + 1L, ] - line[k, ]
    steps <- max(1L, as.integer(max(abs(segment)) / step))
    cbind(line[k, 1L] + segment[1L] * (0:steps) / steps, line[k, 2L] + segment[2L] * (0:steps) / steps)
  })
  do.call(rbind, parts)
}

overlaps <- function(own, others) {
  any(own[1L] < others[, 3L] & others[, 1L] < own[3L] & own[2L] < others[, 4L] & others[, 2L] < own[4L])
}

# Labels `texts` of the points `first` among (x, y) of an open plot; `line` : the Pareto-optimal points.
draw_labels <- function(x, y, texts, first, line) {
  usr <- par("usr")
  unit <- par("pin") / c(usr[2L] - usr[1L], usr[4L] - usr[3L])  # inches per unit of the data
  inches <- function(x, y) cbind((x - usr[1L]) * unit[1L], (y - usr[3L]) * unit[2L])
  order <- c(first, setdiff(seq_along(x), first))
  height <- 1.6 * strheight(texts[first], "inches", cex = 0.7)  # R's height excludes descenders
  sizes <- cbind(strwidth(texts[first], "inches", cex = 0.7), height)
  points <- inches(x[order], y[order])
  corners <- place_labels(points, sizes, c(0, 0, par("pin")), GAP, inches(x[line], y[line]))
  middle <- corners + sizes / 2
  at <- cbind(usr[1L] + middle[, 1L] / unit[1L], usr[3L] + middle[, 2L] / unit[2L])
  shown <- !is.na(corners[, 1L])
  distance <- pmax(abs(middle[, 1L] - points[seq_along(first), 1L]) - sizes[, 1L] / 2, abs(middle[, 2L] - points[seq_along(first), 2L]) - sizes[, 2L] / 2)
  far <- shown & distance > FAR
  segments(x[first][far], y[first][far], at[far, 1L], at[far, 2L], col = "grey60", lwd = 0.6)
  text(at[shown, 1L], at[shown, 2L], texts[first][shown], cex = 0.7)
}
