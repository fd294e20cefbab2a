# What synthpop makes of fits of several syntheses: the golden values of pf.combine in tests/golden/test_others.py.
# By hand, where synthpop is installed, from the repository's root:  Rscript tests/golden/make_combine.R
# Four copies of 50 records, drawn by R's own stream.
suppressWarnings(suppressMessages(library(synthpop)))

set.seed(3)
copies <- lapply(1:4, function(j) {
  x <- rnorm(50)
  data.frame(x = x, y = 1 + 2 * x + rnorm(50))
})
rows <- list()
for (m in c(4, 1)) {
  for (rule in c("simple", "proper", if (m > 1) "partial")) {
    drawn <- structure(
      list(syn = if (m > 1) copies else copies[[1]], m = m, n = 50, k = 50, proper = rule == "proper",
           method = c(x = "norm", y = "norm"), visit.sequence = c(x = 1, y = 2)),
      class = "synds"
    )
    fit <- suppressWarnings(lm.synds(y ~ x, drawn))
    made <- summary(fit, population.inference = TRUE, incomplete = rule == "partial")$coefficients
    values <- setNames(as.data.frame(made[, 1:2]), c("coef", "se"))
    rows[[length(rows) + 1]] <- data.frame(copies = m, rule = rule, term = rownames(made), values)
  }
}
made <- do.call(rbind, rows)
made[c("coef", "se")] <- lapply(made[c("coef", "se")], function(x) sprintf("%.12g", x))
write.csv(made, "tests/golden/values/others/combine.csv", row.names = FALSE, quote = FALSE)
