# Oracle: by hand, and one result against another. Grade: identical.

judged <- c("wage", "tax")

test_that("a report is numbers by key, and a tidy table", {
  skip_without_python()
  df <- households()
  released <- protected(df)
  report <- evaluate(df, released, judged)
  expect_identical(names(report), c("pil", "dbrl", "prl", "id", "dr", "score", "linkage_informed", "certain", "dr_informed"))
  expect_identical(names(evaluate(df, plain_release(released), judged)), names(report)[1:6])
  expect_identical(report$dr, (report$dbrl + report$prl) / 4 + report$id / 2)
  expect_identical(report[c("pil", "dr")], c(pil = report$pil, dr = report$dr))
  table <- as.data.frame(report)
  expect_identical(names(table), c("measure", "part", "value", "baseline", "excess", "inference", "attributable", "lower", "upper", "better"))
  expect_identical(table$value[table$part == "total"], unlist(unclass(report)[names(report)], use.names = FALSE))
  expect_equal(table$baseline[table$measure == "dbrl" & table$part == "total"], 100 / nrow(df))
  expect_identical(evaluate(df, df, judged)$pil, 0)
})

test_that("the utility panel stands below the verdict, and is plain data", {
  skip_without_python()
  df <- households()
  report <- evaluate(df, protected(df), judged)
  utility <- report$utility
  printed <- capture.output(print(report))
  expect_identical(printed[2L], capture.output(print(utility))[1L])
  expect_identical(utility$summary$estimates, sum(utility$families$estimates))
  estimates <- as.data.frame(utility)
  expect_identical(nrow(estimates), as.integer(utility$summary$estimates))
  expect_identical(names(utility$variables), c("variable", "estimates", "above", "measured"))
  expect_identical(utility$variables$variable, judged)
  expect_match(utility$variables$measured, "standard errors")
  expect_equal(estimates$z, (estimates$released - estimates$original) / estimates$se, tolerance = 1e-12)
  expect_null(evaluate(df, plain_release(protected(df)), judged)$utility)
  expect_match(paste(printed, collapse = " "), "a shuffled column has 0.00", fixed = TRUE)
})

test_that("columns = NULL takes the numeric ones both have", {
  skip_without_python()
  df <- households()
  released <- protected(df)
  fewer <- released[setdiff(names(released), "hours")]
  fewer <- plain_release(fewer)
  expect_identical(evaluate(df, fewer), evaluate(df, fewer, c("age", "wage", "tax")))
  expect_identical(names(evaluate(df, fewer, "wage", measures = "pil")), "pil")
  expect_identical(evaluate(df, released), evaluate(df, released, judged))  # the dependent ones of the release
})

test_that("records pair by row names that number or name the original's records", {
  skip_without_python()
  df <- households()
  released <- plain_release(protected(df))
  reversed <- released[rev(seq_len(nrow(df))), ]
  # Close, not identical: the sums over records run in another order. Pairing by position gives quite other values.
  expect_equal(evaluate(df, reversed, judged)["dbrl"], evaluate(df, released, judged)["dbrl"], tolerance = 1e-9)
  expect_equal(evaluate(df, reversed, judged)["id"], evaluate(df, released, judged)["id"], tolerance = 1e-9)
  expect_false(evaluate(df, `row.names<-`(reversed, NULL), judged)$id == evaluate(df, released, judged)$id)
  unmodified <- function(after) attr(evaluate(df, after, judged, independent = c("age", "hours")), "kept")$columns
  expect_identical(unmodified(reversed), unmodified(released))
  expect_identical(unmodified(`row.names<-`(reversed, NULL)), character())
  row.names(df) <- row.names(released) <- df$name
  reversed <- released[nrow(df):1, ]
  expect_equal(evaluate(df, reversed, judged)["id"], evaluate(df, released, judged)["id"], tolerance = 1e-9)
})

test_that("a report by keys alone says so", {
  skip_without_python()
  df <- households()
  expect_output(print(evaluate(df, plain_release(protected(df)), measures = "k_anonymity", keys = "region")), "120 records, by their keys. Per cent", fixed = TRUE)
})

test_that("every record is judged, those with missing values too", {
  skip_without_python()
  df <- households()
  df$wage[1] <- NA
  released <- protected(df, missing = "protect")
  report <- evaluate(df, released, judged)
  expect_identical(attr(report, "records"), nrow(df))
  expect_true(any(grepl("misses values", notes(report))))
})

test_that("a risk has its inference baseline and attributable risk where the predictors are known", {
  skip_without_python()
  df <- households()
  released <- protected(df)
  attr(released, "fcrm") <- NULL
  set.seed(3)
  before <- .Random.seed
  plain <- evaluate(df, released, judged)
  report <- evaluate(df, released, judged, independent = c("age", "hours"))
  expect_identical(.Random.seed, before)
  table <- as.data.frame(report)
  total <- table[table$part == "total", ]
  risks <- c("dbrl", "prl", "id", "dr")
  expect_identical(total$measure[!is.na(total$inference)], risks)
  expect_identical(table[names(table) != "inference" & names(table) != "attributable"], as.data.frame(plain)[c(1:5, 8:10)])
  dbrl <- total[total$measure == "dbrl", ]
  expect_equal(dbrl$attributable, max(dbrl$value - dbrl$inference, 0))
  expect_output(print(report), "chance +inference +attributable +better")
  expect_false(any(grepl("inference", capture.output(print(plain)))))
  expect_identical(plot(report), report)
  expect_error(evaluate(df, released, judged, independent = "agee"), "age")
  expect_error(evaluate(df, released, judged, seed = 1), "seed", class = "fcrm_error")
})

test_that("a release knows its roles, method and kind of seed, which complete the verdict", {
  skip_without_python()
  df <- households()
  released <- protected(df, identifiers = "name", unknown = "seen")
  facts <- attr(released, "fcrm")
  expect_identical(facts$roles, list(independent = c("age", "hours"), dependent = judged, unknown = "seen"))
  expect_identical(format(facts$method), format(ipso("C")))
  expect_setequal(names(facts), c("roles", "method", "key"))
  expect_false(any(c("name", "p001") %in% unlist(rapply(facts, as.character, how = "unlist"))))  # no identifier
  report <- evaluate(df, released)
  status <- with(report$verdict$tests, setNames(status, key))
  expect_identical(status[["sample_uniques"]], "hold")  # born is unique
  expect_identical(status[["audit"]], "not examined")
  expect_false(any(status[c("unprotected", "risk", "totals")] == "not examined"))
  expect_match(report$verdict$headline, "Not known to intruders: seen", fixed = TRUE)
  attr(released, "fcrm") <- NULL
  without <- evaluate(df, released)$verdict
  expect_identical(without$status, "not examined")
  expect_identical(evaluate(df, released, judged, independent = c("age", "hours"), method = ipso("C"), unknown = "seen")$verdict, report$verdict)
})

test_that("changed limits and an audit are arguments", {
  skip_without_python()
  df <- households()
  released <- protected(df, identifiers = "name")
  report <- evaluate(df, released, limits = list(dr = 0, sample_uniques = 100), audit = TRUE)
  tests <- report$verdict$tests
  expect_match(report$verdict$headline, "Limits changed: dr 0, sample_uniques 100.", fixed = TRUE)
  expect_identical(tests$status[tests$key == "dr"], "hold")
  expect_identical(tests$status[tests$key == "sample_uniques"], "pass")
  expect_false(tests$status[tests$key == "audit"] == "not examined")
  file <- tempfile(fileext = ".toml")
  writeLines(c("[limits]", "dr = 0", "sample_uniques = 100"), file)
  expect_identical(evaluate(df, released, limits = file, audit = TRUE)$verdict, report$verdict)
  expect_error(evaluate(df, released, limits = list(drr = 1)), "dr", class = "fcrm_error")
})

test_that("factors are compared by their labels", {
  skip_without_python()
  df <- households()
  df$where <- factor(c("north", "south", "west")[1 + seq_len(120) %% 3])
  released <- protected(df, identifiers = "name")
  released$where <- factor(as.character(released$where), levels = c("west", "south", "north"))
  expect_true("where" %in% attr(evaluate(df, released), "kept")$columns)
})

test_that("print, summary and plot show a report and a frontier", {
  skip_without_python()
  df <- households()
  report <- evaluate(df, protected(df), judged)
  expect_output(print(report), "pil .*lower .*Probabilistic information loss")
  expect_identical(capture.output(print(report))[1L], report$verdict$headline)
  expect_output(print(summary(report)), "Its parts:.*quantiles")
  frontier <- sweep_methods(df, list(fcrm(c = 2), ipso("A"), ipso("C")), c("age", "hours"), judged, seed = 1)
  expect_output(print(frontier), "fcrm(c = 2)", fixed = TRUE)
  expect_output(print(summary(frontier)), "candidates are Pareto-optimal")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  before <- graphics::par("mar", "las")
  expect_identical(plot(report), report)
  expect_identical(plot(frontier), frontier)
  expect_identical(graphics::par("mar", "las"), before)
  grDevices::dev.off()
  expect_gt(file.size(file), 4000)
})

test_that("a frontier has a row a candidate, and a best one within a limit", {
  skip_without_python()
  df <- households()
  methods <- list(fcrm(c = 2), fcrm(c = 6), ipso("A"), ipso("C"))
  frontier <- sweep_methods(df, methods, c("age", "hours"), judged, seed = 1)
  table <- as.data.frame(frontier)
  expect_identical(names(table)[1:10], c("method", "parameters", "utility", "utility_rms", "pil", "dbrl", "prl", "id", "dr", "score"))
  expect_identical(table$method, c("FCRM", "FCRM", "IPSO", "IPSO"))
  expect_identical(table$parameters, c("c=2", "c=6", "kind=A", "kind=C"))
  for (k in seq_along(methods)) {
    one <- evaluate(df, protected(df, methods[[k]]), judged)
    expect_identical(unlist(table[k, names(one)]), one[names(one)])
  }
  expect_identical(best(frontier, list(risk = 100))$values[["utility_rms"]], min(table$utility_rms))
  limited <- best(frontier, list(risk = 100), max_dr = min(table$dr))
  expect_identical(limited$values[["dr"]], min(table$dr))
  expect_s3_class(limited$method, "fcrm_method")
  default <- best(frontier)
  expect_lte(default$values[["attributable"]], 5)  # the verdict's limit
  expect_null(best(frontier, max_dr = 0))
  expect_error(best(frontier, max_dr = NA), class = "fcrm_invalid_parameter")
  expect_error(best(frontier, list(drr = 1)), class = "fcrm_invalid_parameter")
  expect_error(best(table), class = "fcrm_invalid_parameter")
  expect_identical(as.data.frame(sweep_methods(df, ipso("C"), c("age", "hours"), judged, seed = 1))$pil, table$pil[4])
})

test_that("results are plain R data", {
  skip_without_python()
  df <- households()
  frontier <- sweep_methods(df, list(ipso("A"), ipso("C")), c("age", "hours"), judged, seed = 1)
  everything <- list(protected(df), evaluate(df, protected(df), judged), frontier)
  file <- tempfile(fileext = ".rds")
  saveRDS(everything, file)
  expect_identical(readRDS(file), everything)
  strange <- function(x) {
    typeof(x) %in% c("externalptr", "environment", "closure") || (is.list(x) && any(vapply(x, strange, NA)))
  }
  expect_false(strange(everything))
})

test_that("a known method adds what is linked by who knows it", {
  skip_without_python()
  df <- households()
  released <- quietly(df, rankswapping(5), c("age", "hours"), judged, seed = 1)
  report <- evaluate(df, released, judged, method = rankswapping(5))
  expect_identical(names(report), c("pil", "dbrl", "prl", "id", "dr", "score", "linkage_informed", "certain", "dr_informed"))
  expect_gte(report$linkage_informed, report$dbrl)
  expect_identical(report$dr_informed, max(report$dbrl, report$prl, report$linkage_informed) / 2 + report$id / 2)
  expect_error(evaluate(df, released, judged, method = "rankswapping"), "must be a method such as")
})
