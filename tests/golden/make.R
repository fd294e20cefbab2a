# Golden values: what R makes of a small file that is simulated here, to be met by Python where there is no R.
# From the repository's root:  Rscript tests/golden/make.R   (make golden). Writes tests/golden/values: the data, the
# releases and memberships (one column each), single values by name, and a manifest with what made them.
# Base R only, and the project's own R code: r_scripts/ipso.R and the twins in r_scripts/reference.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
golden <- dirname(normalizePath(script))
scripts <- file.path(golden, "..", "..", "r_scripts")
sources <- c("ipso.R", file.path("reference", c(
  "predictors.R", "fcm.R", "fcrm.R", "pil.R", "dbrl.R", "prl.R", "interval_disclosure.R", "ipso_burridge.R"
)))
for (name in sources) source(file.path(scripts, name))

SEED <- 1

seeded <- function(expression) {
  set.seed(SEED, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expression
}

# Three independent and three dependent columns in unlike units. The last is coarse, so that values agree and tie.
simulated <- function(n = 60) {
  X <- exp(matrix(rnorm(3 * n), n) / 2) * rep(c(1, 100, 1e4), each = n)
  Y <- 5 + log(X) %*% matrix(runif(9), 3) + matrix(rnorm(3 * n), n)
  Y <- Y * rep(c(1, 1000, 10), each = n)
  Y[, 3] <- round(Y[, 3] / 20) * 20
  setNames(data.frame(X, Y), paste0("V", 1:6))
}

released <- function(data, X, Y) {
  found <- list()
  for (kind in 1:3) {
    found[[paste0("ipso_thesis_", LETTERS[kind])]] <- as.matrix(seeded(IPSOabc(data, 4:6, 1:3, kind))[4:6])
    found[[paste0("ipso_burridge_", LETTERS[kind])]] <- seeded(ipso_burridge(X, Y, LETTERS[kind]))
  }
  # Few rounds: rounds that have not converged amplify rounding.
  found$fcrm <- seeded(fcrm_protect(X, Y, c = 2, max_iter = 3))
  start <- seeded(random_membership(nrow(X), 3))
  # In steps of a quarter of a standard deviation, so that values agree exactly and distances tie.
  step <- rep(apply(Y, 2, sd) / 4, each = nrow(Y))
  found$coarse_original <- round(Y / step) * step
  found$coarse_release <- round(found$fcrm / step) * step
  found$start <- start
  found$fcm <- fcm(cbind(X, Y), 3, tol = 0, max_iter = 3, U0 = start)$membership
  found$fcrm_membership <- fcrm(X, Y, 3, tol = 0, max_iter = 3, U0 = start)$membership
  found
}

judged <- function(Y, Z) {
  loss <- pil(Y, Z)
  distance <- dbrl(Y, Z)
  exact <- prl(Y, Z)
  within <- interval_disclosure(Y, Z)
  ranks <- interval_disclosure_rank(Y, Z)
  risk <- dr(distance$value, exact$value, within$value)
  c(
    pil = loss$value, setNames(loss$parts, paste0("pil_", names(loss$parts))), dbrl = distance$value,
    prl = exact$value, prl_tolerance = prl(Y, Z, "tolerance")$value, id = within$value, id_rank = ranks$value,
    dr = risk, score = score(loss$value, risk), id_baseline = within$baseline, id_rank_baseline = ranks$baseline
  )
}

drawn <- function() {
  draws <- list(
    runif = seeded(runif(4)), rnorm = seeded(rnorm(4)), sample = seeded(sample(6)),
    sample_int = seeded(sample.int(1e6, 4)), sample_replacing = seeded(sample.int(6, 8, replace = TRUE)),
    sample_hashed = seeded(sample.int(1e9, 4)),
    state = seeded({
      rnorm(10)
      .Random.seed[c(1:5, 626)]
    })
  )
  unlist(draws)
}

by_quantiles <- function(Y) {
  found <- list()
  for (j in 1:3) {
    Q <- quantile(Y[, j], (1:19) / 20, type = 7, names = FALSE)
    found[[paste0("quantile_V", j + 3, "_")]] <- Q
    found[[paste0("nrd0_V", j + 3)]] <- bw.nrd0(Y[, j])
    found[[paste0("density_V", j + 3, "_")]] <- sapply(Q, function(q) mean(dnorm(q, Y[, j], bw.nrd0(Y[, j]))))
  }
  unlist(found)
}

# Seventeen digits give every double back.
digits <- function(x) sprintf("%.17g", x)

write_table <- function(columns, name) {
  lines <- do.call(paste, c(lapply(unname(columns), digits), sep = ","))
  writeLines(c(paste(names(columns), collapse = ","), lines), file.path(golden, "values", name))
}

as_columns <- function(matrices) {
  columns <- list()
  for (name in names(matrices)) {
    for (j in seq_len(ncol(matrices[[name]]))) columns[[paste0(name, "_", j)]] <- matrices[[name]][, j]
  }
  columns
}

write_manifest <- function() {
  hash <- function(path) unname(tools::md5sum(path))
  paths <- c("tests/golden/make.R", file.path("r_scripts", sources))
  hashes <- c(hash(file.path(golden, "make.R")), hash(file.path(scripts, sources)))
  # Base R alone, whose packages carry its version.
  writeLines(c(
    "{",
    sprintf('  "made_by": "Rscript tests/golden/make.R",'),
    sprintf('  "R": "%s",', R.version.string),
    sprintf('  "packages": {%s},', toString(sprintf('"%s": "%s"', c("base", "stats"), c(
      as.character(packageVersion("base")), as.character(packageVersion("stats"))
    )))),
    sprintf('  "seed": %d,', SEED),
    '  "md5": {',
    paste0(sprintf('    "%s": "%s"', paths, hashes), c(rep(",", length(paths) - 1), "")),
    "  }",
    "}"
  ), file.path(golden, "values", "manifest.json"))
}

dir.create(file.path(golden, "values"), showWarnings = FALSE)
data <- seeded(simulated())
X <- as.matrix(data[1:3])
Y <- as.matrix(data[4:6])
releases <- released(data, X, Y)
values <- c(
  drawn(), by_quantiles(Y),
  fcrm = judged(Y, releases$fcrm), ipso_thesis_C = judged(Y, releases$ipso_thesis_C),
  coarse = judged(releases$coarse_original, releases$coarse_release)
)
write_table(data, "data.csv")
write_table(as_columns(releases), "releases.csv")
writeLines(c("name,value", paste(names(values), digits(values), sep = ",")), file.path(golden, "values", "values.csv"))
write_manifest()
cat(length(values), "values and", length(releases), "tables written to tests/golden/values\n")
