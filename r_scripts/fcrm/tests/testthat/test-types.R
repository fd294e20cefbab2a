# Columns of other packages' classes. Oracle: the same values as plain numbers. Grade: identical.

test_that("a difftime is protected as a duration, and stays one of its unit", {
  skip_without_python()
  df <- households()
  df$wage <- as.difftime(round(df$wage), units = "mins")
  released <- protected(df)
  expect_identical(attributes(released$wage), attributes(df$wage))
  expect_identical(as.double(released$wage), round(as.double(released$wage))) # whole minutes, as all of the original
  expect_gte(min(as.double(released$wage)), 0)
  in_hours <- df
  units(in_hours$wage) <- "hours"
  expect_equal(as.double(protected(in_hours)$wage) * 60, as.double(released$wage))
  described <- describe(df)
  expect_identical(described$kind[described$column == "wage"], "duration")
})

test_that("times of day of hms, and times of class POSIXlt, keep their class", {
  skip_without_python()
  df <- households()
  df$lt <- as.POSIXlt(df$seen, tz = "UTC") + 86400 * (seq_len(nrow(df)) * 41 %% 97)
  df$lt <- as.POSIXlt(df$lt)
  released <- quietly(df, ipso("C"), c("age", "hours"), c("wage", "lt"), seed = 1)
  expect_s3_class(released$lt, "POSIXlt")
  expect_identical(attr(released$lt, "tzone"), attr(df$lt, "tzone"))
  expect_false(any(released$lt == df$lt))
  skip_if_not_installed("hms")
  df$clock <- hms::hms(round(3 * df$wage))
  released <- quietly(df, ipso("C"), c("age", "hours"), c("wage", "clock"), seed = 1)
  expect_identical(attributes(released$clock), attributes(df$clock))
  expect_true(all(released$clock >= 0 & released$clock < 86400))
  described <- describe(df)
  expect_identical(described$kind[match(c("lt", "clock"), described$column)], c("date", "time"))
})

test_that("values that SPSS's users declare missing are missing, and stay the codes they were", {
  skip_without_python()
  df <- plain <- households()
  plain$wage[c(2, 9, 11)] <- NA
  df$wage[c(2, 9, 11)] <- c(-1, 99999, NA)
  df$wage <- structure(df$wage, na_values = -1, na_range = c(9e4, 1e5), class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
  expect_error(protected(df, missing = "refuse"), "missing", class = "fcrm_invalid_input")
  released <- protected(df) # missing = "protect", where codes are declared
  described <- describe(df)
  expect_identical(described$missing_codes[described$column == "wage"], "-1")
  expect_identical(attributes(released$wage), attributes(df$wage))
  expect_identical(as.vector(unclass(released$wage))[c(2, 9, 11)], c(-1, 99999, NA))
  expect_identical(as.vector(unclass(released$wage))[-c(2, 9, 11)], protected(plain, missing = "protect")$wage[-c(2, 9, 11)])
  expect_equal(evaluate(df, released, "wage")$pil, evaluate(plain, protected(plain, missing = "protect"), "wage")$pil)
})

test_that("the label of a column is shown wherever it is described", {
  skip_without_python()
  df <- households()
  attr(df$wage, "label") <- "Wage a month"
  released <- protected(df)
  expect_identical(attr(released$wage, "label"), "Wage a month")
  for (table in list(describe(df), suggest_roles(df), codebook(released))) {
    named <- if ("column" %in% names(table)) table$column else table$name
    expect_identical(table$label[named == "wage"], "Wage a month")
  }
  expect_type(attr(codebook(released), "relations"), "character")
})

test_that("a release has no attribute of a column but those of its class and labels", {
  skip_without_python()
  df <- households()
  attr(df$wage, "original") <- df$wage
  comment(df$age) <- "planted"
  df$region <- structure(df$region, planted = as.character(df$name))
  released <- protected(df)
  expect_null(attributes(released$wage))
  expect_null(attributes(released$age))
  expect_named(attributes(released$region), c("levels", "class"))
  expect_false(grepl("planted", rawToChar(serialize(released, NULL, ascii = TRUE))))
})

test_that("integer64 is protected where doubles are exact, and stays whole", {
  skip_without_python()
  skip_if_not_installed("bit64")
  df <- plain <- households()
  plain$wage <- round(1e9 * plain$wage)
  df$wage <- bit64::as.integer64(plain$wage)
  expect_message(without_warnings(protect(df, ipso("C"), wage ~ age, seed = 1)), "being of class integer64: wage")
  released <- protected(df)
  expect_s3_class(released$wage, "integer64")
  expect_identical(bit64::as.double.integer64(released$wage), round(protected(plain)$wage))
  of_doubles <- protected(plain, variables = "numbers")
  expect_identical(protected(df, variables = "numbers")$wage, of_doubles$wage)
  df$wage <- df$wage * 1e6
  expect_error(protected(df), "column `wage`", class = "fcrm_invalid_input")
})

test_that("errors are in R's words", {
  skip_without_python()
  df <- households()
  expect_error(protected(df, seed = "one"), '^protect: `seed` .*got "one"$', class = "fcrm_invalid_parameter")
  e <- expect_error(quietly(df, ipso(), c(1.5, 2), "wage", seed = 1), "^protect: ", class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), "1", fixed = TRUE)
  e <- expect_error(protected(df, strict_totals = NULL), class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), "got NULL", fixed = TRUE)
})

test_that("broom and ggplot2 have their methods, and a citation has its year", {
  expect_match(format(citation("fcrm"), style = "text"), "2026")
  skip_without_python()
  skip_if_not_installed("generics")
  skip_if_not_installed("ggplot2")
  df <- households()
  frontier <- sweep_methods(df, list(ipso("A"), ipso("C")), wage + tax ~ age + hours, seed = 1)
  report <- evaluate(df, protected(df), c("wage", "tax"))
  expect_identical(generics::tidy(frontier), as.data.frame(frontier))
  expect_identical(generics::tidy(report), as.data.frame(report))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (one in list(frontier, report)) expect_s3_class(print(ggplot2::autoplot(one)), "ggplot")
  map <- ggplot2::ggplot_build(ggplot2::autoplot(frontier))
  expect_setequal(setdiff(map$data[[length(map$data)]]$label, "o"), frontier$table$parameters)
})

test_that("package generics and this package do not hide each other's methods", { suppressWarnings({
  skip_without_python()
  skip_if_not_installed("generics")
  df <- households()
  released <- protected(df)
  report <- evaluate(df, released)
  expect_identical(generics::evaluate(df, released), report)
  m <- as.matrix(df[c("age", "hours", "wage", "tax")])
  expect_identical(generics::evaluate(m, m, "wage"), evaluate(m, m, "wage"))
  for (class in c("sdcMicroObj", "simPopObj")) expect_false(is.null(utils::getS3method("evaluate", class, envir = asNamespace("generics"))))
  expect_identical(tidy(report), generics::tidy(report))
  expect_identical(glance(report), generics::glance(report))
  registerS3method("tidy", "of_another_package", function(x, ...) "tidied", asNamespace("generics"))
  expect_identical(tidy(structure(1, class = "of_another_package")), "tidied")
}, "fcrm_warning") })

# Python's words, in texts without names of columns.
python_words <- function(texts) {
  words <- c("\\b(True|False|None)\\b(?! of )", "(^|[ (,])\\w+=[^= ]", "\\w=($|[ ,;.)])", "(^| )'", "\\bindex\\b", "\\b[Rr]oles=", "Roles role")
  methods <- "\\b(FCRM|IPSO|GADP|EGADP|[A-Z][a-z]+[A-Za-z]*)\\("
  texts[Reduce(`|`, lapply(c(words, methods), grepl, texts, perl = TRUE))]
}

test_that("errors, notes and verdicts have no words of Python", { suppressWarnings({
  skip_without_python()
  df <- households()
  released <- protected(df)
  plain <- plain_release(released)
  said <- function(code) {
    texts <- character()
    hear <- function(m) {
      texts <<- c(texts, conditionMessage(m))
      invokeRestart(if (inherits(m, "message")) "muffleMessage" else "muffleWarning")
    }
    tryCatch(withCallingHandlers(code, message = hear, warning = hear), error = function(e) texts <<- c(texts, conditionMessage(e)))
    sub("\n$", "", texts)
  }
  verdict <- function(report) c(attr(report$verdict, "lines"), report$verdict$headline, unlist(Filter(is.character, report$verdict$tests)), notes(report))
  file <- tempfile(fileext = ".csv")
  utils::write.csv(df["wage"], file, row.names = FALSE)
  texts <- c(
    said(protect(df, microaggregation(3), "age", "wage", seed = 1)), said(protect(df, rankswapping(1), "age", "wage", seed = 1)),
    said(protect(df, ipso("D"), "age", "wage", seed = 1)), said(protect(df, ipso("C"), "age", "wage", seed = TRUE)),
    said(protect(df, noise("x"), "age", "wage", seed = 1)), said(protect(df, hybrid(alpha = 2), "age", "wage", seed = 1)),
    said(protect(df, ipso("C"), "age", character(), seed = 1)), said(protect(df, ipso("C"), "age", "wage", variables = 3, seed = 1)),
    said(protect(df, ipso("C"), "age", "wage", copies = 0, seed = 1)), said(protect(df, ipso("C"), "age", "wage", missing = "x", seed = 1)),
    said(protect(df, ipso("C"), "age", "wage", strict_totals = NULL, seed = 1)), said(protect(df, calibrated(ipso("C"), margins = "x"), "age", "wage", seed = 1)),
    said(protect(df, fcrm(c = 3), "age", c("wage", "tax"), seed = 1)), said(protect(df, sequential_trees("x"), "age", "wage", seed = 1)),
    said(protect_file(file, file, noise(), NULL, "wage", seed = 1)), said(protect(df, pram(keep = 2), "age", "region", seed = 1)),
    said(sweep_methods(df, list(), "age", "wage", seed = 1)), said(evaluate(df, df[1:9, ], "wage")), said(evaluate(df, released, measures = "x")),
    said(evaluate(df, plain, "wage", audit = TRUE)), said(evaluate(df, plain, "wage", domains = "x")), said(evaluate(df, released, limits = list(x = 1))),
    verdict(evaluate(df, released)), verdict(evaluate(df, plain, "wage")), verdict(evaluate(df, protected(df, microaggregation(3)))),
    notes(audit(df, ipso("C"), wage ~ age, repeats = 1, shadows = 2)),
    unlist(attributes(audit(df, microaggregation(3), NULL, "wage", repeats = 1, shadows = 2))[c("title", "alarms", "sentences")])
  )
  expect_gt(length(texts), 60)
  texts <- gsub("\\b(region|class|member)=", "", texts) # a group of records, as class=2
  expect_identical(unname(python_words(texts)), character())
  expect_true(length(python_words(c("audit=True", "give roles=", "one of 'A'", "by index", "FCRM(c=8)"))) == 5L)
}, "fcrm_warning") })

test_that("a misspelt argument is answered with the near name", {
  df <- households()
  e <- expect_error(protect(df, ipso("C"), independant = "age"), class = "fcrm_invalid_input")
  expect_identical(conditionMessage(e), "protect: takes no further argument; got independant (did you mean `independent`?)")
  expect_error(evaluate(df, df, colums = "age"), "did you mean `columns`", fixed = TRUE)
  expect_error(key_risk(df, "age", zzz = 1), "got zzz$")
})

test_that("a method is printed as it is typed", {
  expect_output(print(pram()), "^pram\\(\\)$")
  expect_output(print(ipso()), '^ipso\\(kind = "C"\\)$')
})
