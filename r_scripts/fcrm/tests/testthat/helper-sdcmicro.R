# A stand-in for sdcMicro's class: the slots of version 5.8, each of its type or NULL.

sdc_slots <- c(
  origData = "data.frame", keyVars = "numeric", pramVars = "numeric", numVars = "numeric", ghostVars = "list",
  weightVar = "numeric", hhId = "numeric", strataVar = "numeric", sensibleVar = "numeric", manipKeyVars = "data.frame",
  manipPramVars = "data.frame", manipNumVars = "data.frame", manipGhostVars = "data.frame", manipStrataVar = "factor",
  originalRisk = "list", risk = "list", utility = "list", pram = "list", localSuppression = "list", options = "list",
  additionalResults = "list", set = "list", prev = "sdcMicroObj", deletedVars = "character"
)
or_null <- function(type) paste0("fcrmTest_", gsub(".", "_", type, fixed = TRUE))
for (type in setdiff(sdc_slots, "sdcMicroObj")) setClassUnion(or_null(type), c(type, "NULL"))
setClassUnion(or_null("sdcMicroObj"), "NULL")
setClass("sdcMicroObj", slots = vapply(sdc_slots, or_null, ""), prototype = as.list(setNames(vector("list", length(sdc_slots)), names(sdc_slots))))
setIs("sdcMicroObj", or_null("sdcMicroObj"))

# An object as sdcMicro makes it: text among the key variables is a factor in its slot.
stand_in <- function(df, keys, numbers = NULL, pram = NULL, weight = NULL, household = NULL, strata = NULL, sensible = NULL, ghosts = NULL) {
  places <- function(names) if (length(names)) match(names, names(df))
  columns <- function(names) if (length(names)) df[names]
  stored <- columns(keys)
  for (name in keys) if (is.character(stored[[name]])) stored[[name]] <- factor(stored[[name]])
  links <- lapply(names(ghosts), function(key) list(places(key), places(ghosts[[key]])))
  new("sdcMicroObj",
    origData = df, keyVars = as.numeric(places(keys)), numVars = places(numbers), pramVars = places(pram), weightVar = places(weight),
    hhId = places(household), strataVar = places(strata), sensibleVar = places(sensible), ghostVars = if (length(links)) links,
    manipKeyVars = stored, manipNumVars = columns(numbers), manipPramVars = columns(pram),
    manipGhostVars = columns(unlist(ghosts, use.names = FALSE)), options = list(alpha = 1)
  )
}

# Households with codes, text and a variable for PRAM, of n records.
coded_households <- function(n = 240) {
  df <- households(n)
  k <- seq_len(n)
  df$name <- df$born <- df$seen <- NULL
  df$sex <- 1L + (k * 7L) %% 2L
  df$status <- as.double(1 + k %% 3)
  df$town <- c("a", "b", "b")[1 + k %% 3]
  df$health <- factor(c("good", "bad", "fair")[1 + (k * 11) %% 3])
  df$hid <- 1000L + (k - 1L) %/% 3L
  df$weight <- 1 + k %% 7
  df
}
