# Objects of sdcMicro, by a stand-in with its slots. Oracle: the same work on plain frames. Grade: identical.

amounts <- c("wage", "tax")

test_that("an sdcMicroObj is protected by its own variables, and comes back one", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("age", "region"), amounts, weight = "weight")
  out <- quietly(sdc, ipso("C"), seed = 1)
  expect_s4_class(out, "sdcMicroObj")
  expect_equal(seed_of(out), 1)
  expect_true(length(notes(out)) > 0)
  plain <- quietly(df, ipso("C"), c("age", "region"), amounts, weight = "weight", seed = 1)
  expect_identical(out@manipNumVars, plain_release(plain)[amounts])
  expect_identical(out@origData, sdc@origData)
  expect_identical(out@manipKeyVars, sdc@manipKeyVars)
  total <- function(frame, name) sum(frame[[name]] * df$weight)
  expect_equal(total(out@manipNumVars, "wage"), total(df, "wage"), tolerance = 1e-10)
  expect_equal(tapply(out@manipNumVars$wage, df$region, mean), tapply(df$wage, df$region, mean), tolerance = 1e-10)
  by_formula <- quietly(sdc, ipso("C"), wage ~ age, seed = 1)
  expect_identical(by_formula@manipNumVars$tax, sdc@manipNumVars$tax)
  expect_equal(as.list(evaluate(out)), as.list(evaluate(df, plain)))
  expect_identical(key_risk(out)$fk, key_risk(df, c("age", "region"), "weight")$fk)
})

test_that("codes of a few common values, text and logicals are categories; other whole numbers stay numbers", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("sex", "status", "town", "member", "age"), amounts)
  out <- quietly(sdc, ipso("C"), seed = 1)
  coded <- df
  for (name in c("sex", "status")) coded[[name]] <- factor(coded[[name]])
  plain <- quietly(coded, ipso("C"), c("sex", "status", "town", "member", "age"), amounts, seed = 1)
  expect_identical(out@manipNumVars, plain_release(plain)[amounts])
  expect_identical(out@manipKeyVars, sdc@manipKeyVars)
  expect_message(protect(sdc, ipso("C"), seed = 1, shuffle = FALSE), "sex, status, town, member as categories; age as numbers")
  expect_false(holds_codes(df$age))
  expect_false(holds_codes(c(rep(1L, 50), rep(2L, 9))))
  expect_false(holds_codes(rep(c(0.5, 1), 30)))
  expect_true(holds_codes(c(rep(c(1, 2), 30), NA)))
})

test_that("constants and numbers with gaps do not explain, gaps of categories are a level; strata are the object's", {
  skip_without_python()
  df <- coded_households()
  df$one <- 1L
  sdc <- stand_in(df, c("age", "sex", "one"), amounts, strata = "member")
  sdc@manipKeyVars$age[3] <- NA
  sdc@manipKeyVars$sex[1:20] <- NA
  out <- quietly(sdc, ipso("C"), seed = 1)
  coded <- df
  coded$sex <- factor(sdc@manipKeyVars$sex)
  plain <- quietly(coded, ipso("C"), "sex", amounts, strata = "member", missing = "protect", seed = 1)
  expect_identical(out@manipNumVars, plain_release(plain)[amounts])
  expect_identical(out@manipKeyVars, sdc@manipKeyVars)
})

test_that("pram() changes PRAM variables, or one that the call adds", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("sex", "region"), amounts, pram = "health")
  out <- quietly(sdc, pram(), seed = 1)
  plain <- quietly(df, pram(), dependent = "health", seed = 1)
  expect_identical(out@manipPramVars$health, plain$health)
  expect_identical(out@manipNumVars, sdc@manipNumVars)
  more <- quietly(out, pram(), dependent = "town", seed = 1)
  expect_identical(more@pramVars, match(c("health", "town"), names(df)))
  expect_identical(more@manipPramVars$town, quietly(df, pram(), dependent = "town", seed = 1)$town)
  expect_identical(more@manipPramVars$health, out@manipPramVars$health)
  expect_true(all(c("pramVars", "manipPramVars") %in% more@set))
  none <- stand_in(df, "sex", amounts)
  expect_error(quietly(none, pram(), seed = 1), "no pramVars", class = "fcrm_invalid_parameter")
})

test_that("localsuppression() empties key variables and what is linked to them", {
  skip_without_python()
  df <- coded_households()
  df$town[c(2, 50)] <- "rare"
  df$sex[7] <- 9L
  df$area <- paste("area of", df$town)
  keys <- c("sex", "status", "town")
  sdc <- stand_in(df, keys, amounts, ghosts = list(town = "area"))
  out <- quietly(sdc, localsuppression(3), seed = 1)
  plain <- quietly(df, localsuppression(3, keys), seed = 1)
  expect_identical(out@manipKeyVars[c("sex", "status")], plain_release(plain)[c("sex", "status")])
  expect_identical(as.character(out@manipKeyVars$town), plain$town)
  expect_identical(levels(out@manipKeyVars$town), c("a", "b")) # as in a data.frame: no level that no cell has
  expect_true(anyNA(plain$town))
  expect_identical(is.na(out@manipGhostVars$area), is.na(plain$town))
  expect_identical(evaluate(out, measures = "k_anonymity")$k_anonymity, evaluate(df, plain, measures = "k_anonymity", keys = keys)$k_anonymity)
  treated <- codebook(out)
  expect_match(treated$treatment[treated$name == "area"], "suppressed")
  two <- quietly(sdc, localsuppression(), seed = 1) # k = 2, sdcMicro's default
  expect_true(min(table(two@manipKeyVars, useNA = "ifany")[table(two@manipKeyVars, useNA = "ifany") > 0]) >= 2)
  few <- quietly(sdc, localsuppression(3, c("town", "status")), seed = 1)
  expect_identical(few@manipKeyVars$sex, sdc@manipKeyVars$sex)
})

test_that("calls in a row are the steps of one release", {
  skip_without_python()
  df <- coded_households()
  df$town[c(2, 50)] <- "rare"
  keys <- c("sex", "status", "town")
  sdc <- stand_in(df, keys, amounts, pram = "health", weight = "weight", sensible = "region")
  first <- quietly(sdc, pram(), seed = 1)
  second <- quietly(first, localsuppression(3), seed = 2)
  third <- quietly(second, ipso("C"), seed = "fresh")
  method <- provenance_of(third)$method
  expect_identical(method_names(method), c("PRAM", "LocalSuppression", "IPSO"))
  given <- steps(
    list(pram(), independent = keys, dependent = "health", weight = "weight", unknown = "region"),
    list(localsuppression(3), dependent = keys, weight = "weight", unknown = "region"),
    list(ipso("C"), independent = keys, dependent = amounts, weight = "weight", unknown = "region")
  )
  expect_equal(method$parameters, given$parameters)
  report <- evaluate(third)
  status <- with(report$verdict$tests, setNames(status, key))
  expect_match(report$verdict$headline, "Not known to intruders: region", fixed = TRUE)
  expect_identical(status[["audit"]], "not examined")
  expect_identical(status[["seed"]], "hold") # of pram(); local suppression draws nothing
  coded <- coded_files(third)
  whole <- quietly(coded$original, given, missing = "protect", seed = 1)
  same <- evaluate(coded$original, with_provenance(coded$present, provenance_of(whole)))
  expect_equal(as.list(report), as.list(same))
  expect_identical(report$verdict$tests, same$verdict$tests)
  fresh <- quietly(quietly(sdc, localsuppression(3), seed = 2), ipso("C"), seed = "fresh")
  expect_identical(with(evaluate(fresh)$verdict$tests, status[key == "seed"]), "not applicable")
  expect_identical(codebook(third)$role[match("health", codebook(third)$name)], "confidential variable")
  other <- quietly(second, noise(), seed = 1, strata = "member")
  expect_message(evaluate(other), "`strata` differs between calls")
  expect_message(without_warnings(protect(second, noise(), seed = 1, strata = "member")), "will not know the method")
})

test_that("a change by sdcMicro itself is not taken for one of protect()", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("sex", "region"), amounts, weight = "weight")
  out <- quietly(sdc, ipso("C"), seed = "fresh")
  changed <- out
  changed@manipNumVars$wage <- changed@manipNumVars$wage + 1
  expect_message(report <- evaluate(changed), "sdcMicro itself changed the object")
  status <- with(report$verdict$tests, setNames(status, key))
  expect_true(all(status[c("audit", "seed")] == "not examined"))
  expect_true(all(status[c("sample_uniques", "totals", "risk")] != "not examined"))
  expect_error(evaluate(changed, audit = TRUE), "needs `method`, as sdcMicro", class = "fcrm_invalid_parameter")
  expect_identical(with(evaluate(changed, method = noise())$verdict$tests, status[key == "dependence"]), "not applicable")
  expect_error(codebook(changed), "as protect\\(\\) returned it", class = "fcrm_invalid_parameter")
  expect_message(then <- protect(changed, ipso("C"), seed = "fresh"), "will not know the method")
  expect_message(evaluate(then), "sdcMicro itself changed the object")
  first <- sdc
  first@manipNumVars$wage <- first@manipNumVars$wage + 1
  expect_message(protect(first, ipso("C"), seed = "fresh"), "will not know the method")
  expect_message(evaluate(sdc), "no result of protect")
})

test_that("evaluate() has the arguments of data.frames, and takes another object or a table as the release", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("sex", "region"), amounts, sensible = "health")
  out <- quietly(sdc, ipso("C"), seed = "fresh")
  expect_equal(evaluate(sdc, out), evaluate(out))
  judged <- evaluate(out, limits = list(dr = 0), unknown = "member")
  expect_match(judged$verdict$headline, "Limits changed: dr 0. Not known to intruders: member, health", fixed = TRUE)
  plain <- quietly(coded_files(sdc)$original, ipso("C"), c("sex", "region"), amounts, unknown = "health", seed = "fresh")
  expect_identical(evaluate(sdc, plain)$verdict$tests$status[1], evaluate(out)$verdict$tests$status[1])
  expect_message(evaluate(sdc, plain_release(plain)), "no result of protect")
  dcap <- evaluate(out, measures = "dcap")$dcap
  expect_identical(dcap, evaluate(df, cbind(df[setdiff(names(df), amounts)], out@manipNumVars), measures = "dcap", keys = c("sex", "region"), targets = "health")$dcap)
})

test_that("households are protected as such, and keep their ids", {
  skip_without_python()
  df <- coded_households()
  df$rent <- ave(df$wage, df$hid)
  sdc <- stand_in(df, c("sex", "region"), c("wage", "rent"), household = "hid")
  out <- quietly(sdc, ipso("C"), seed = 1)
  expect_identical(out@manipNumVars$rent, ave(out@manipNumVars$rent, df$hid))
  expect_identical(present_file(out)$hid, df$hid)
  notes <- capture.output(again <- protect(sdc, ipso("C"), seed = 1, shuffle = FALSE), type = "message")
  expect_false(any(grepl("replaced by numbers", notes)))
  expect_match(evaluate(out)$verdict$headline, "Not known to intruders: hid", fixed = TRUE)
  expect_identical(codebook(out)$treatment[codebook(out)$name == "hid"], "released unchanged")
})

test_that("steps() have the variables of the object too", {
  skip_without_python()
  df <- coded_households()
  sdc <- stand_in(df, c("sex", "status"), amounts, pram = "health")
  method <- steps(pram(), localsuppression(3), noise("uncorrelated", 20))
  out <- quietly(sdc, method, seed = 1)
  expect_identical(method_names(provenance_of(out)$method), c("PRAM", "LocalSuppression", "Noise"))
  expect_false(identical(out@manipPramVars, sdc@manipPramVars))
  expect_false(identical(out@manipNumVars, sdc@manipNumVars))
  more <- quietly(out, rankswapping(), seed = 1)
  expect_length(provenance_of(more)$method$parameters$steps, 4L)
  expect_length(stored_release(more)$seed_kind, 4L)
})

test_that("what an object cannot hold is refused", {
  skip_without_python()
  sdc <- stand_in(coded_households(), c("sex", "status"), amounts)
  expect_error(quietly(sdc, ipso("C"), "age", "hours", seed = 1), "must be key, PRAM or numerical", class = "fcrm_invalid_input")
  expect_error(quietly(sdc, sampling(0.5), seed = 1), "must keep its records", class = "fcrm_invalid_input")
  expect_error(quietly(sdc, ipso("C"), copies = 2, seed = 1), "must keep its records", class = "fcrm_invalid_input")
  expect_error(quietly(sdc, recoding(3), seed = 1), "must stay numbers", class = "fcrm_invalid_input")
  recoded <- quietly(sdc, recoding(2), dependent = "status", seed = 1)
  expect_s3_class(recoded@manipKeyVars$status, "factor")
  expect_identical(codebook(recoded)$treatment[match("status", names(sdc@origData))], "coarsened, recoded, sampled or suppressed")
  expect_error(protect(sdc, "ipso"), "must be a method", class = "fcrm_invalid_parameter")
})
