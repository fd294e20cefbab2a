# Key-side risk by sdcMicro on files simulated here: the golden values of tests/golden/test_key_risk.py.
# By hand, where sdcMicro is installed (CONTRIBUTING.md):  Rscript tests/golden/make_key_risk.R
suppressWarnings(suppressMessages(library(sdcMicro)))
folder <- "tests/golden/values/key_risk"
save <- function(x, name) write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)

# Keys are multiples of powers of two so that sdcMicro's hash of 16 bits gives every combination a place of its own: where
# two unique records share one, it forgets both of them in the DIS score.
simulated <- function(n, levels, seed, missing = 0, unit = c(512, 64, 8, 1)) {
  set.seed(seed)
  keys <- sapply(seq_along(levels), function(j) unit[j] * (sample(levels[j], n, TRUE, prob = 1 / seq_len(levels[j])) - 1))
  keys[runif(n * length(levels)) < missing] <- NA
  if (missing > 0) keys[c(5, 17), ] <- NA
  frame <- data.frame(keys)
  names(frame) <- letters[seq_along(levels)]
  frame$w <- ifelse(runif(n) < 0.2, 1, round(1 + rexp(n, 1 / 40), 3))
  frame$h <- sort(sample(n %/% 3, n, TRUE))
  frame
}

judged <- function(frame, q, name, weights = "w") {
  keys <- letters[seq_len(q)]
  save(frame, paste0(name, "_data.csv"))
  counts <- freqCalc(frame, keys, weights)
  risk <- function(method) indivRisk(counts, method = method, survey = !is.null(weights))$rk
  hierarchical <- measure_risk(frame, keyVars = keys, w = weights, hid = "h")
  made <- data.frame(
    fk = counts$fk, Fk = counts$Fk, individual = risk("approx"), household = hierarchical$Res[, "hier_risk"],
    exact = risk("exact")
  )
  for (which in if (q > 2) c(TRUE, FALSE)) { # of fewer keys sdcMicro itself says that its result may be wrong
    suda <- suppressWarnings(suda2(frame[keys], original_scores = which))
    made[[if (which) "elliot" else "ihsn"]] <- suda$score
    made[[if (which) "dis_elliot" else "dis_ihsn"]] <- suda$disScore
  }
  made$global <- hierarchical$global_risk
  made$global_household <- hierarchical$hier_risk
  save(made, paste0(name, ".csv"))
}

judged(simulated(400, c(6, 5, 4, 4), 1), 4, "whole")
judged(simulated(300, c(6, 5, 4, 4), 2, missing = 0.08), 4, "missing")
judged(simulated(250, c(7, 6, 5), 3, missing = 0.05), 3, "three", weights = NULL)
judged(simulated(500, c(4, 4, 4, 3, 3, 2), 4, unit = rep(1, 6)), 6, "colliding")
judged(simulated(60, 40, 5, missing = 0.1, unit = 1), 1, "one")
writeLines(c(R.version.string, paste("sdcMicro", packageVersion("sdcMicro")), paste("data.table", packageVersion("data.table"))),
  file.path(folder, "VERSIONS.txt"))
