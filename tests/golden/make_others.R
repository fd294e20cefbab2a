# What synthpop and RegSDC make of two files simulated here: the golden values of tests/golden/test_others.py.
# By hand, where both are installed, from the repository's root:  Rscript tests/golden/make_others.R
# Values by name; releases by column; a manifest of what made them. Seeds are R's own.
suppressWarnings(suppressMessages({
  library(synthpop)
  library(RegSDC)
}))
folder <- "tests/golden/values/others"
digits <- function(x) sprintf("%.12g", x)

# Whole keys with gaps, a target that hangs on them, and four numbers in unlike units.
original <- function(n = 1000) {
  set.seed(1)
  drawn <- function(levels) sample(levels, n, TRUE, prob = 1 / seq_len(levels))
  keys <- data.frame(a = drawn(6), b = drawn(9), c = drawn(12), d = drawn(5))
  class <- (keys$a + keys$b + sample(0:2, n, TRUE)) %% 5
  x <- matrix(rnorm(4 * n), n) %*% matrix(c(1, .4, .2, 0, 0, 1, .5, .3, 0, 0, 1, .6, 0, 0, 0, 1), 4)
  numbers <- data.frame(v = exp(x[, 1] / 2), w = 100 + 10 * x[, 2], x = 1e4 * x[, 3], y = x[, 4]^2)
  made <- cbind(keys, class = class, round(numbers, 4))
  made$a[sample(n, 40)] <- NA
  made$class[sample(n, 25)] <- NA
  made
}

# Keys and class handed to others for some records, numbers with noise.
released <- function(frame) {
  set.seed(2)
  for (name in names(frame)) {
    column <- frame[[name]]
    if (name %in% c("a", "b", "c", "d", "class")) {
      moved <- runif(nrow(frame)) < 0.15
      column[moved] <- sample(column[moved])
    } else {
      column <- round(column + sd(column) * rnorm(nrow(frame), 0.1, 0.3), 4)
    }
    frame[[name]] <- column
  }
  frame
}

x <- original()
z <- released(x)
numbers <- c("v", "w", "x", "y")
found <- list()
note <- function(prefix, values) {
  if (is.null(names(values))) names(values) <- seq_along(values)
  for (name in names(values)) found[[paste0(prefix, "_", name)]] <<- values[[name]]
}

for (size in c(1000, 600)) {
  some <- z[seq_len(size), numbers]
  for (model in c("logit", "cart")) {
    set.seed(3)
    made <- utility.gen(some, x[numbers], method = model, maxorder = 1, print.flag = FALSE, maxit = 500)
    note(paste0(model, size), made[c("pMSE", "S_pMSE", "SPECKS", "PO50")])
  }
}

classes <- function(frame) as.data.frame(lapply(frame[c("a", "b", "c", "d", "class")], factor, levels = 0:12))
for (keys in list(c("b", "c"), c("a", "b", "c", "d"))) {
  made <- disclosure(classes(z), classes(x), keys = keys, target = "class", print.flag = FALSE, compare.synorig = FALSE)
  note(paste0("keys", length(keys)), c(made$ident[1, ], made$attrib[1, c("Dorig", "DiSCO", "DiSDiO")], made$allCAPs[1, ]))
  synds <- structure(list(syn = classes(z), m = 1, n = nrow(x), k = nrow(z)), class = "synds")
  alone <- replicated.uniques(synds, classes(x), keys = keys)$res_tab[, "Number"]
  note(paste0("alone", length(keys)), setNames(alone, c("original", "release", "release_in_original", "both")))
}

# A unique pair of keys that both files have, and that replicated.uniques() misses: it pads 5 to " 5" in one file only.
small <- data.frame(age = c(5, 15, 30, 30), sex = factor(c("f", "m", "f", "f")), t = factor(c(1, 2, 1, 2)))
copy <- transform(small, age = c(5, 7, 8, 8))
synds <- structure(list(syn = copy, m = 1, n = 4, k = 4), class = "synds")
missed <- replicated.uniques(synds, small, keys = c("age", "sex"))$res_tab["Replicated uniques", "Number"]
seen <- disclosure(copy, small, keys = c("age", "sex"), target = "t", print.flag = FALSE, compare.synorig = FALSE)$ident$repU
note("padded", list(replicated.uniques = missed, repU = seen))

Y <- as.matrix(x[c("v", "w", "y")])
X <- as.matrix(x[c("b", "x")])
made <- function(release) {
  set.seed(7)
  release
}
releases <- list(
  ipso = made(RegSDCipso(Y, X)),
  egadp = made(RegSDCcomp(Y[, 1, drop = FALSE], 0, X)),
  hybrid = made(RegSDCcomp(Y[, 1, drop = FALSE], 0.3, X))
)
several <- made(RegSDCcomp(Y, 0.3, X)) # another basis of the noise than ours: moments agree, values do not
note("hybrid_several", as.list(cov(several, Y)[lower.tri(diag(3), TRUE)]))

put <- function(columns, name) {
  lines <- do.call(paste, c(lapply(unname(columns), digits), sep = ","))
  writeLines(c(paste(names(columns), collapse = ","), gsub("NA", "", lines)), file.path(folder, name))
}
put(x, "original.csv")
put(z, "release.csv")
columns <- lapply(releases, function(one) as.list(as.data.frame(unname(one))))
put(unlist(columns, recursive = FALSE), "regsdc.csv")
writeLines(c("name,value", paste(names(found), digits(unlist(found)), sep = ",")), file.path(folder, "values.csv"))
packages <- c("synthpop", "RegSDC", "rpart")
writeLines(c(R.version.string, paste(packages, vapply(packages, getNamespaceVersion, ""))), file.path(folder, "VERSIONS.txt"))
