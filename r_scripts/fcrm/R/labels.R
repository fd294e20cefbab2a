# Where the labels of a map go so that none covers a point or another label: pyfcrm/plots/labels.py, in R.

# Beside the point first, then around it, then further out: the label's middle, in its own halves and the gap.
DIRECTIONS <- rbind(c(1, -1), c(1, 1), c(-1, -1), c(-1, 1), c(0, -1), c(0, 1), c(1, 0), c(-1, 0))
RINGS <- c(1, 2.5, 5, 8, 12, 17, 23)  # gaps away
MOST_LABELS <- 20L
GAP <- 6 / 72  # inches
FAR <- 12 / 72

# points (n, 2), sizes (m, 2) of the labels of the first m, box c(left, low, right, high), line (k, 2), all in one unit.
# Gives (m, 2), the corner of least x and y of each label, NA where everything near is taken.
place_labels <- function(points, sizes, box, gap, line = NULL) {
  marks <- cbind(points - gap, points + gap)
  along <- dotted(line, gap)
  along <- cbind(along - gap / 2, along + gap / 2)
  taken <- matrix(numeric(), 0L, 4L)
  found <- matrix(NA_real_, nrow(sizes), 2L)
  for (k in seq_len(nrow(sizes))) {
    own <- label_boxes(points[k, ], sizes[k, ], box, gap)
    free <- own[!apply(own, 1L, hits, taken) & !apply(own, 1L, hits, marks), , drop = FALSE]
    if (nrow(free) == 0L) next
    off <- which(!apply(free, 1L, hits, along))
    chosen <- free[if (length(off)) off[1L] else 1L, ]
    taken <- rbind(taken, chosen, deparse.level = 0L)
    found[k, ] <- chosen[1:2]
  }
  found
}

label_boxes <- function(point, size, box, gap) {
  ring <- rep(RINGS, each = nrow(DIRECTIONS))
  to <- DIRECTIONS[rep(seq_len(nrow(DIRECTIONS)), length(RINGS)), ]
  x <- point[1L] + to[, 1L] * (size[1L] / 2 + ring * gap)
  y <- point[2L] + to[, 2L] * (size[2L] / 2 + ring * gap)
  own <- cbind(x - size[1L] / 2, y - size[2L] / 2, x + size[1L] / 2, y + size[2L] / 2)
  own[own[, 1L] >= box[1L] & own[, 2L] >= box[2L] & own[, 3L] <= box[3L] & own[, 4L] <= box[4L], , drop = FALSE]
}

# Points on a line through these corners, a step apart at most.
dotted <- function(line, step) {
  if (is.null(line) || nrow(line) < 2L) return(matrix(numeric(), 0L, 2L))
  parts <- lapply(seq_len(nrow(line) - 1L), function(k) {
    way <- line[k + 1L, ] - line[k, ]
    many <- max(1L, as.integer(max(abs(way)) / step))
    cbind(line[k, 1L] + way[1L] * (0:many) / many, line[k, 2L] + way[2L] * (0:many) / many)
  })
  do.call(rbind, parts)
}

hits <- function(own, others) {
  any(own[1L] < others[, 3L] & others[, 1L] < own[3L] & own[2L] < others[, 4L] & others[, 2L] < own[4L])
}

# The labels of the points (x, y) of an open plot, `first` of them named, in words; `line` joins the unbeaten ones.
draw_labels <- function(x, y, words, first, line) {
  usr <- par("usr")
  unit <- par("pin") / c(usr[2L] - usr[1L], usr[4L] - usr[3L])  # inches in one of the data's
  inches <- function(x, y) cbind((x - usr[1L]) * unit[1L], (y - usr[3L]) * unit[2L])
  order <- c(first, setdiff(seq_along(x), first))
  height <- 1.6 * strheight(words[first], "inches", cex = 0.7)  # what hangs below the line is none of R's height
  sizes <- cbind(strwidth(words[first], "inches", cex = 0.7), height)
  points <- inches(x[order], y[order])
  found <- place_labels(points, sizes, c(0, 0, par("pin")), GAP, inches(x[line], y[line]))
  middle <- found + sizes / 2
  at <- cbind(usr[1L] + middle[, 1L] / unit[1L], usr[3L] + middle[, 2L] / unit[2L])
  shown <- !is.na(found[, 1L])
  apart <- pmax(abs(middle[, 1L] - points[seq_along(first), 1L]) - sizes[, 1L] / 2, abs(middle[, 2L] - points[seq_along(first), 2L]) - sizes[, 2L] / 2)
  far <- shown & apart > FAR
  segments(x[first][far], y[first][far], at[far, 1L], at[far, 2L], col = "grey60", lwd = 0.6)
  text(at[shown, 1L], at[shown, 2L], words[first][shown], cex = 0.7)
}
