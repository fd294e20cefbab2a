# Estimates and standard errors under sampling designs, by R's package survey: values/designs.json, or with the arguments
# `PATH live` the same and those of larger files in another file. Data are those of the package.
suppressPackageStartupMessages(library(survey))
arguments <- commandArgs(trailingOnly = TRUE)
options(survey.lonely.psu = "adjust", warn = 0)
precise <- glm.control(epsilon = 1e-14, maxit = 100)

with_interval <- function(kind, fit_terms, value, se, low, high, df, ...) {
  list(kind = kind, terms = I(fit_terms), value = I(unname(value)), se = I(unname(se)), low = I(unname(low)), high = I(unname(high)), df = df, ...)
}

total <- function(design, y) {
  found <- svytotal(reformulate(y), design, na.rm = TRUE)
  list(kind = "total", y = y, value = I(unname(coef(found))), se = I(as.vector(SE(found))))
}

ratio <- function(design, y, x) {
  found <- svyratio(reformulate(y), reformulate(x), design, na.rm = TRUE)
  list(kind = "ratio", y = y, x = x, value = I(as.vector(coef(found))), se = I(as.vector(SE(found))))
}

domain_means <- function(design, y, by) {
  found <- svyby(reformulate(y), reformulate(by), design, svymean, na.rm = TRUE)
  list(kind = "means", y = y, by = by, levels = I(as.character(found[[by]])), value = I(unname(coef(found))), se = I(as.vector(SE(found))))
}

# Degrees of freedom are those of all records with a value, of replicates those of the file, in domains too. The domains are large: where the lower end of the interval
# of the share is below that of the smallest value, survey 4.1-1 takes the second smallest.
quantiles <- function(design, y, p, by) {
  df <- if (inherits(design, "svyrep.design")) degf(design) else degf(design[!is.na(design$variables[[y]]), ])
  levels <- sort(unique(as.character(design$variables[[by]])))
  found <- lapply(levels, function(level) {
    inside <- design[design$variables[[by]] == level, ]
    as.vector(svyquantile(reformulate(y), inside, p, df = df, na.rm = TRUE)[[1]])
  })
  found <- do.call(rbind, found)
  with_interval("quantiles", levels, found[, 1], found[, 4], found[, 2], found[, 3], df, y = y, by = by, p = p)
}

regression <- function(design, formula, family) {
  formula <- as.formula(formula)
  if (family == "gaussian") {
    fit <- svyglm(formula, design, family = gaussian(), control = precise)
  } else {
    fit <- svyglm(formula, design, family = quasibinomial(), control = precise)
  }
  bounds <- confint(fit)
  with_interval(
    "regression", names(coef(fit)), coef(fit), sqrt(diag(vcov(fit))), bounds[, 1], bounds[, 2], fit$df.residual, formula = deparse1(formula), family = family
  )
}

# A case: the columns of a file, the roles of its design, and estimates.
case <- function(name, data, roles, design, estimates) {
  columns <- lapply(data, function(column) if (is.factor(column)) as.character(column) else column)
  list(name = name, data = columns, roles = roles, degf = degf(design), estimates = estimates)
}

of_schools <- function(design) {
  list(
    total(design, "enroll"), ratio(design, "api_stu", "enroll"), domain_means(design, "api00", "stype"),
    quantiles(design, "api00", 0.5, "awards"), quantiles(design, "enroll", 0.75, "awards"),
    regression(design, "api00 ~ ell + meals + stype", "gaussian"), regression(design, "log(enroll) ~ stype * meals", "gaussian"),
    regression(design, "target_met ~ ell + meals", "binomial")
  )
}

schools <- function(file) {
  file$target_met <- as.numeric(file$sch.wide == "Yes")
  file$api_stu <- file$api.stu
  file[c("stype", "awards", "dnum", "pw", "api00", "enroll", "api_stu", "ell", "meals", "target_met")]
}

# The same design with replicate weights, as columns r1, r2, ... of the file.
replicated <- function(name, file, type, weights, ...) {
  replicates <- as.data.frame(weights)
  names(replicates) <- paste0("r", seq_along(replicates))
  of_type <- list(...)
  design <- do.call(svrepdesign, c(list(
    data = file, repweights = replicates, weights = file$pw, type = if (type == "SDR") "successive-difference" else type
  ), of_type))
  roles <- list(weight = "pw", replicate_weights = I(names(replicates)), replicate_type = type)
  if (type == "Fay") roles$replicate_scale <- 1 / (ncol(replicates) * (1 - of_type$rho)^2)
  if (type == "JKn") roles <- c(roles, list(replicate_scale = of_type$scale, replicate_rscales = I(of_type$rscales)))
  case(name, cbind(file, replicates), roles, design, of_schools(design))
}

# Rounded, so that the file of stored values is short: replicate weights as good as any.
analysis_weights <- function(design) signif(weights(design, type = "analysis"), 5)

data(api)
data(scd)
strat <- schools(apistrat)
one <- schools(apiclus1)
two <- schools(apiclus2)
two$pair <- (match(two$dnum, sort(unique(two$dnum))) + 1) %/% 2
two$region <- substr(apiclus2$cname, 1, 1)
of_strat <- svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = strat)
of_one <- svydesign(ids = ~dnum, weights = ~pw, data = one)
of_two <- svydesign(ids = ~dnum, weights = ~pw, data = two)
of_pairs <- svydesign(ids = ~dnum, strata = ~pair, weights = ~pw, data = two)
lonely <- svydesign(ids = ~dnum, strata = ~region, weights = ~pw, data = two, nest = TRUE)

set.seed(1)
jkn <- as.svrepdesign(of_pairs, type = "JKn")
boot <- as.svrepdesign(of_two, type = "bootstrap", replicates = 40)
scd_design <- svydesign(ids = ~ambulance, strata = ~ESA, data = scd, nest = TRUE, weights = rep(1, nrow(scd)))
scd_estimates <- list(total(scd_design, "alive"), ratio(scd_design, "alive", "arrests"), domain_means(scd_design, "alive", "ambulance"))
cases <- list(
  case("strata", strat, list(weight = "pw", sampling_stratum = "stype"), of_strat, of_schools(of_strat)),
  case("clusters", one, list(weight = "pw", psu = "dnum"), of_one, of_schools(of_one)),
  case("two stages", two, list(weight = "pw", psu = "dnum"), of_two, of_schools(of_two)),
  case("strata of two clusters", two, list(weight = "pw", psu = "dnum", sampling_stratum = "pair"), of_pairs, of_schools(of_pairs)),
  case("strata of one cluster", two, list(weight = "pw", psu = "dnum", sampling_stratum = "region"), lonely, of_schools(lonely)),
  case("scd", scd, list(psu = "ambulance", sampling_stratum = "ESA"), scd_design, scd_estimates),
  replicated("JKn", two, "JKn", analysis_weights(jkn), scale = jkn$scale, rscales = jkn$rscales),
  replicated("JK1", one, "JK1", analysis_weights(as.svrepdesign(of_one, type = "JK1")), scale = 14 / 15),
  replicated("BRR", two, "BRR", analysis_weights(as.svrepdesign(of_pairs, type = "BRR"))),
  replicated("Fay", two, "Fay", analysis_weights(as.svrepdesign(of_pairs, type = "Fay", fay.rho = 0.3)), rho = 0.3),
  replicated("bootstrap", two, "bootstrap", analysis_weights(boot)),
  replicated("SDR", two, "SDR", analysis_weights(boot))
)

if ("live" %in% arguments) {
  data(nhanes)
  nhanes$chol <- nhanes$HI_CHOL
  of_nhanes <- svydesign(ids = ~SDMVPSU, strata = ~SDMVSTRA, weights = ~WTMEC2YR, nest = TRUE, data = nhanes)
  cases <- c(cases, list(case(
    "nhanes", nhanes, list(weight = "WTMEC2YR", psu = "SDMVPSU", sampling_stratum = "SDMVSTRA"), of_nhanes,
    list(
      total(of_nhanes, "chol"), domain_means(of_nhanes, "chol", "agecat"), regression(of_nhanes, "chol ~ race + RIAGENDR", "binomial"),
      regression(of_nhanes, "race ~ RIAGENDR", "gaussian")
    )
  )))
}
path <- if (length(arguments)) arguments[1L] else file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "values", "designs.json")
text <- jsonlite::toJSON(cases, digits = I(17), auto_unbox = TRUE, na = "null")
writeLines(text, path)
