# sdcMicro's object, read and written by its slots: sdcMicro need not be installed.

# The slots with the present columns of the object, in the order in which sdcMicro puts them into a file.
PRESENT <- c("manipKeyVars", "manipPramVars", "manipNumVars", "manipGhostVars")

# protect() for an sdcMicroObj: by default, pramVars are confidential for pram(), keyVars for localsuppression(), numVars for other methods,
# given the key variables. The object's weight, household, strata and sensible variable have these roles.
protect.sdcMicroObj <- function(df, method, independent = NULL, dependent = NULL, ...) {
  check_method("protect", method)
  options <- sdc_options(df, list(...))
  roles <- roles_of("protect", slot(df, "origData"), independent, dependent)
  file <- coded_files(df, numbers = recoded_columns(method, roles$dependent))$present
  if (method$name == "Steps") {
    method$parameters$steps <- lapply(method$parameters$steps, function(step) {
      list(step[[1L]], sdc_roles(df, file, step[[1L]], step[[2L]], options))
    })
    changed <- step_columns(method, "dependent")
    options[SDC_SINGLE] <- NULL
    roles <- list()
  } else {
    roles <- sdc_roles(df, file, method, roles, options)
    changed <- roles$dependent
    options[names(roles)] <- NULL
  }
  if (is.null(options$missing) && only_keys_have_gaps(df, file, changed)) options$missing <- "protect"
  released <- without_note_of_ids(do.call(protect, c(list(file, method), roles, options)))
  if (!identical(dim(released), dim(file))) {
    stop_input("protect", "an sdcMicroObj must keep its records and columns: protect a data.frame", format(method))
  }
  note_predictors(file, if (method$name == "Steps") step_columns(method, "independent") else roles$independent)
  require_numbers(df, released, changed)
  provenance <- next_provenance(df, with_ghost_keys(df, provenance_of(released)))
  out <- sdc_with(df, released, changed, suppresses = "LocalSuppression" %in% method_names(method))
  with_sdc_provenance(out, provenance)
}

# The options of protect() for an object: strata, weight, household and unknown columns are the object's unless the call names them.
sdc_options <- function(sdc, options) {
  own <- list(
    strata = columns_of_sdc(sdc, "strataVar"), weight = columns_of_sdc(sdc, "weightVar"), household = columns_of_sdc(sdc, "hhId"),
    unknown = c(columns_of_sdc(sdc, "sensibleVar"), columns_of_sdc(sdc, "hhId"))
  )
  own <- own[setdiff(names(own), names(options))]
  Filter(Negate(is.null), c(options, own))
}

SDC_SINGLE <- c("weight", "household", "unknown")

# The roles of one release of an object. given : those of the call.
sdc_roles <- function(sdc, file, method, given, options) {
  roles <- Filter(Negate(is.null), given)
  if (is.null(roles$dependent)) roles$dependent <- default_dependent(sdc, method)
  check_dependent(sdc, method, roles$dependent)
  if (is.null(roles$independent)) roles$independent <- sdc_predictors(sdc, file, roles$dependent, options$missing)
  taken <- c(roles$dependent, roles$independent)
  for (role in setdiff(SDC_SINGLE, names(roles))) roles[[role]] <- setdiff(options[[role]], taken)
  Filter(length, roles)
}

default_dependent <- function(sdc, method) {
  keys <- method_keys(method)
  if (!is.null(keys)) {
    return(keys)
  }
  part <- switch(method$name, PRAM = "pramVars", LocalSuppression = "keyVars", "numVars")
  columns <- columns_of_sdc(sdc, part)
  if (is.null(columns)) stop_parameter("protect", "dependent", paste0("must be given: the object has no ", part), "nothing")
  columns
}

# sdcMicro keeps changes of key, PRAM and numerical variables. pram() may add a PRAM variable, as sdcMicro's does.
check_dependent <- function(sdc, method, dependent) {
  kept <- unlist(lapply(c("keyVars", "pramVars", "numVars"), columns_of_sdc, sdc = sdc))
  others <- setdiff(dependent, c(kept, if (method$name == "PRAM") names(slot(sdc, "origData"))))
  if (length(others)) stop_input("protect", "dependent columns must be key, PRAM or numerical variables of the object", others[1L])
}

# The key variables that explain: those that vary. A gap in a category is a level of its own; a number with gaps needs missing = "protect".
sdc_predictors <- function(sdc, file, dependent, missing) {
  explains <- function(x) {
    known <- x[!is.na(x)]
    varies <- length(unique(known)) > 1L
    varies && (!anyNA(x) || is_category(x) || identical(missing, "protect"))
  }
  keys <- setdiff(columns_of_sdc(sdc, "keyVars"), dependent)
  as.character(Filter(function(name) explains(column_of(file, name)), keys))
}

is_category <- function(x) kind_of(x) %in% c("factor", "ordered", "character", "logical")

# Whether key variables have gaps, as after local suppression, and the confidential numbers have none.
only_keys_have_gaps <- function(sdc, file, changed) {
  keys <- columns_of_sdc(sdc, "keyVars")
  anyNA(file[keys], recursive = TRUE) && !anyNA(file[setdiff(changed, keys)], recursive = TRUE)
}

note_predictors <- function(file, independent) {
  independent <- unique(as.character(independent))
  categories <- Filter(function(name) is_category(column_of(file, name)), independent)
  numbers <- setdiff(independent, categories)
  parts <- c(
    if (length(categories)) paste(toString(categories), "as categories"),
    if (length(numbers)) paste(toString(numbers), "as numbers (make codes a factor)")
  )
  emit_notes(paste("independent columns:", if (length(parts)) paste(parts, collapse = "; ") else "none"))
}

method_names <- function(method) {
  if (method$name == "Steps") vapply(method$parameters$steps, function(step) step[[1L]]$name, "") else method$name
}

# protect() replaces ids of households in a file. An object has no place for new ids: it keeps its own.
without_note_of_ids <- function(code) {
  withCallingHandlers(code, fcrm_note = function(note) {
    if (startsWith(conditionMessage(note), "note: the ids in ")) invokeRestart("muffleMessage")
  })
}

# For the codebook: the ids of households are released unchanged.
with_old_ids <- function(provenance) with_changed_roles(provenance, function(roles) roles[names(roles) != "household"])

require_numbers <- function(sdc, released, changed) {
  numeric <- intersect(columns_of_sdc(sdc, "numVars"), changed)
  other <- Filter(function(name) !is.numeric(released[[name]]), numeric)
  if (length(other)) stop_input("protect", "numerical variables of the object must stay numbers", other[1L])
}

# evaluate() for an sdcMicroObj: its present file, or `released`, against its original file.
evaluate.sdcMicroObj <- function(df, released = NULL, columns = NULL, measures = NULL, keys = NULL, unknown = NULL,
                                 targets = NULL, method = NULL, audit = NULL, paired = NULL, ...) {
  # Objects pair their records by position; of a data.frame the caller must know it.
  if (is.null(paired)) paired <- is.null(released) || inherits(released, "sdcMicroObj")
  files <- coded_files(df, if (is.null(released)) df else released)
  released <- files$present
  provenance <- provenance_of(released)
  if (is.null(provenance$method) && is.null(method)) {
    if (!is.null(audit)) stop_parameter("evaluate", "audit", paste("needs `method`, as", provenance$reason), class(audit)[1L])
    emit_notes(paste0("method and seed are not examined, as ", provenance$reason, " (give `method` to examine it)"))
  }
  if (!is.null(unknown)) {
    with_more <- function(roles) `[[<-`(roles, "unknown", union(roles$unknown, unknown))
    released <- with_provenance(released, with_changed_roles(provenance, with_more))
  }
  if (!is.null(measures)) {
    if (is.null(keys)) keys <- columns_of_sdc(df, "keyVars")
    if (is.null(targets)) targets <- setdiff(columns_of_sdc(df, "sensibleVar"), keys)
    if (!length(targets)) targets <- NULL
  }
  evaluate(
    files$original, released, columns, measures = measures, keys = keys, targets = targets, method = method, audit = audit,
    paired = paired, ...
  )
}

key_risk.sdcMicroObj <- function(df, keys = columns_of_sdc(df, "keyVars"), weights = columns_of_sdc(df, "weightVar"),
                                 household = columns_of_sdc(df, "hhId"), ...) {
  key_risk(present_file(df), keys, weights, household, ...)
}

columns_of_sdc <- function(sdc, part) {
  places <- slot(sdc, part)
  if (length(places)) names(slot(sdc, "origData"))[places]
}

# The present file of the object. sdcMicro makes text a factor; here it is text again.
present_file <- function(sdc) {
  file <- slot(sdc, "origData")
  row.names(file) <- NULL  # an object pairs its records by position
  for (part in PRESENT) {
    for (name in names(slot(sdc, part))) {
      x <- slot(sdc, part)[[name]]
      file[[name]] <- if (is.character(file[[name]]) && is.factor(x)) as.character(x) else x
    }
  }
  file
}

# The original file and a release of it, by default the present file, with its provenance: without a method where this is not known. In both,
# key variables of whole numbers that are codes are factors; numbers : columns that are not, as those that recoding() takes as numbers.
coded_files <- function(sdc, released = sdc, numbers = NULL) {
  original <- slot(sdc, "origData")
  if (isS4(released)) {
    provenance <- sdc_provenance(released)
    released <- present_file(released)
  } else {
    released <- releases_of(if (is.character(released)) files_released(released) else released)
    provenance <- provenance_of(released)
    if (is.null(provenance)) provenance <- list(reason = "`released` is no result of protect()")
  }
  if (is.null(provenance$method)) provenance$roles <- roles_without_method(sdc, original, released)
  row.names(original) <- NULL
  steps <- if (!is.null(provenance$method)) steps_in(provenance)
  numbers <- c(numbers, unlist(lapply(steps, function(step) recoded_columns(step[[1L]], step[[2L]]$dependent))))
  keys <- setdiff(intersect(columns_of_sdc(sdc, "keyVars"), names(released)), numbers)
  for (name in Filter(function(name) holds_codes(original[[name]]), keys)) {
    levels <- as.character(sort(unique(original[[name]])))
    levels <- union(levels, as.character(unique(released[[name]][!is.na(released[[name]])])))
    original[[name]] <- factor(as.character(original[[name]]), levels)
    released[[name]] <- factor(as.character(released[[name]]), levels)
  }
  list(original = original, present = with_provenance(released, provenance))
}

# The columns that recoding() or topbottomcoding() treats.
recoded_columns <- function(method, dependent) {
  if (method$name == "Steps") {
    return(unlist(lapply(method$parameters$steps, function(step) recoded_columns(step[[1L]], step[[2L]]$dependent))))
  }
  if (method$name %in% c("Recoding", "TopBottomCoding")) dependent
}

# Whole numbers with few values that are all common: codes of categories. Labelled codes are categories in Python anyway.
holds_codes <- function(x) {
  if (!kind_of(x) %in% c("double", "integer") || inherits(x, c("haven_labelled", "labelled"))) {
    return(FALSE)
  }
  x <- as.double(x[!is.na(x)])
  if (!length(x) || any(!is.finite(x) | x != round(x))) {
    return(FALSE)
  }
  counts <- table(x)
  length(counts) <= MOST_CODES && min(counts) >= FEWEST_OF_CODE
}

MOST_CODES <- 20L
FEWEST_OF_CODE <- 10L

# The roles of a release whose method is not known: confidential are the object's numerical and PRAM variables, and changed key variables.
roles_without_method <- function(sdc, original, released) {
  keys <- intersect(columns_of_sdc(sdc, "keyVars"), names(released))
  changed <- Filter(function(name) !identical(as.vector(original[[name]]), as.vector(released[[name]])), keys)
  dependent <- unique(c(columns_of_sdc(sdc, "numVars"), columns_of_sdc(sdc, "pramVars"), changed))
  independent <- setdiff(keys, dependent)
  options <- sdc_options(sdc, list())
  single <- lapply(options[intersect(SDC_SINGLE, names(options))], setdiff, c(dependent, independent))
  Filter(length, c(list(independent = independent, dependent = dependent), single))
}

# The object with the changed columns of a release, the previous state for undolast(), and new risk and utility.
sdc_with <- function(sdc, released, changed, suppresses) {
  sdc <- sdc_function(sdc, "nextSdcObj")(sdc)
  sdc <- with_pram_variables(sdc, setdiff(changed, unlist(lapply(PRESENT, function(part) names(slot(sdc, part))))))
  for (part in PRESENT) {
    for (name in intersect(names(slot(sdc, part)), changed)) {
      slot(sdc, part)[[name]] <- as_stored(released[[name]], slot(sdc, part)[[name]], slot(sdc, "origData")[[name]])
    }
  }
  if (suppresses) sdc <- with_suppressed_ghosts(sdc)
  numbers <- any(names(slot(sdc, "manipNumVars")) %in% changed)
  if (length(setdiff(changed, names(slot(sdc, "manipNumVars"))))) sdc <- sdc_function(sdc, "calcRisks")(sdc)
  if (numbers) sdc <- sdc_function(sdc, "dUtility")(sdc_function(sdc, "dRisk")(sdc))
  sdc
}

# A function of the package that defines the class; the identity where that package is not loaded.
sdc_function <- function(sdc, name) {
  package <- attr(class(sdc), "package")
  if (isNamespaceLoaded(package)) get0(name, asNamespace(package), mode = "function", ifnotfound = identity) else identity
}

# A released column as the object stores it. Codes are passed as a factor, and come back as the original's numbers; text is stored as a factor
# where sdcMicro made it one. New categories, as of recoding(), stay as they are.
as_stored <- function(new, stored, original) {
  if (is.character(new) && is.factor(stored)) {
    return(factor(new, union(intersect(levels(stored), new), unique(new[!is.na(new)]))))
  }
  if (!is.factor(new) || is.factor(stored)) {
    return(new)
  }
  place <- match(as.character(new), as.character(original))
  if (anyNA(place[!is.na(new)])) new else original[place]
}

# The object with further PRAM variables, as sdcMicro's pram(variables = ) has them.
with_pram_variables <- function(sdc, columns) {
  if (!length(columns)) {
    return(sdc)
  }
  original <- slot(sdc, "origData")
  more <- original[columns]
  slot(sdc, "pramVars") <- c(slot(sdc, "pramVars"), match(columns, names(original)))
  slot(sdc, "manipPramVars") <- if (is.null(slot(sdc, "manipPramVars"))) more else cbind(slot(sdc, "manipPramVars"), more)
  marked_as_set(sdc, c("pramVars", "manipPramVars"))
}

# Cells of the variables linked to a key variable (ghostVars) are empty where the key is, as in sdcMicro.
with_suppressed_ghosts <- function(sdc) {
  columns <- names(slot(sdc, "origData"))
  for (link in slot(sdc, "ghostVars")) {
    empty <- is.na(slot(sdc, "manipKeyVars")[[columns[link[[1L]]]]])
    for (name in columns[link[[2L]]]) slot(sdc, "manipGhostVars")[[name]][empty] <- NA
  }
  sdc
}

# The provenance of a release in which local suppression treats the linked variables too.
with_ghost_keys <- function(sdc, provenance) {
  links <- slot(sdc, "ghostVars")
  ghosts <- names(slot(sdc, "origData"))[unlist(lapply(links, function(link) link[[2L]]))]
  steps <- lapply(steps_in(provenance), function(step) {
    if (step[[1L]]$name == "LocalSuppression" && length(ghosts)) {
      step[[2L]]$dependent <- union(step[[2L]]$dependent, ghosts)
      step[[1L]]$parameters$keys <- step[[2L]]$dependent
    }
    step
  })
  if (provenance$method$name == "Steps") {
    provenance$method <- method_of_steps(steps)
  } else {
    provenance$method <- steps[[1L]][[1L]]
    provenance$roles <- steps[[1L]][[2L]]
  }
  provenance
}

# sdcMicro reads a slot of the present object only if its name is in the slot `set`.
marked_as_set <- function(sdc, slots) {
  slot(sdc, "set") <- c(slot(sdc, "set"), as.list(setdiff(slots, unlist(slot(sdc, "set")))))
  sdc
}

# Provenance of an object: in the element `fcrm` of the slot additionalResults, with the columns as protect() left them. An object that differs
# from these was changed by sdcMicro itself. undolast() returns the previous object with its own provenance.

NO_RELEASE <- "the object is no result of protect()"
CHANGED_OUTSIDE <- "sdcMicro itself changed the object"

with_sdc_provenance <- function(sdc, provenance) {
  results <- slot(sdc, "additionalResults")
  results[[PROVENANCE]] <- list(provenance = provenance, present = present_columns(sdc))
  slot(sdc, "additionalResults") <- results
  marked_as_set(sdc, "additionalResults")
}

present_columns <- function(sdc) lapply(setNames(nm = PRESENT), function(part) slot(sdc, part))

# The provenance of the present file; only a reason where the method is not known.
sdc_provenance <- function(sdc) {
  record <- slot(sdc, "additionalResults")[[PROVENANCE]]
  if (is.null(record)) {
    return(list(reason = NO_RELEASE))
  }
  if (identical(record$present, present_columns(sdc))) record$provenance else list(reason = CHANGED_OUTSIDE)
}

# The provenance of the next release of an object: the steps of earlier calls of protect(), then this one.
next_provenance <- function(sdc, provenance) {
  before <- sdc_provenance(sdc)
  unchanged <- is.null(slot(sdc, "additionalResults")[[PROVENANCE]]) && identical(as.list(present_file(sdc)), as.list(slot(sdc, "origData")))
  if (unchanged) {
    return(provenance)
  }
  if (is.null(before$method)) {
    joined <- list(reason = if (identical(before$reason, NO_RELEASE)) CHANGED_OUTSIDE else before$reason)
  } else {
    joined <- joined_provenance(before, provenance)
  }
  if (is.null(joined$method)) emit_notes(paste("evaluate() will not know the method, as", joined$reason))
  joined
}
