# protect_file(): a file in, its release out, in Python from end to end; only the notes come back.

FILES_DOOR <- "r_bridge.from_r.files"

protect_file <- function(input, output, method, independent = NULL, dependent = NULL, identifiers = NULL,
                         seed = NULL, missing = "refuse", constraints = NULL, strata = NULL, separator = NULL,
                         decimal = NULL, disarm = FALSE, overwrite = FALSE, unknown = NULL,
                         strict_totals = FALSE, allow_unprotected = FALSE, structure = NULL, weights = NULL, preserve = NULL,
                         copies = 1, manifest = NULL, weight = NULL, household = NULL, unit = NULL, time = NULL,
                         bounds = "default", decimals = "default", ledger = NULL) {
  check_method("protect_file", method)
  paths <- list(source = plain_path(input, "input"), output = plain_path(output, "output"),
                manifest = if (!is.null(manifest)) plain_path(manifest, "manifest"),
                ledger = if (!is.null(ledger)) plain_path(ledger, "ledger"))
  single <- list(weight = weight, household = household, unit = unit, time = time)
  roles <- given_roles("protect_file", NULL, independent, dependent, identifiers, unknown, single)
  if (is.null(roles$dependent)) roles$dependent <- method_keys(method)
  options <- list(
    missing = plain(missing, "protect_file", "missing"), strata = plain_names(strata),
    constraints = plain(unname(constraints), "protect_file", "constraints"),
    separator = plain(separator, "protect_file", "separator"), decimal = plain(decimal, "protect_file", "decimal"),
    disarm = plain(disarm, "protect_file", "disarm"), overwrite = plain(overwrite, "protect_file", "overwrite"),
    strict_totals = plain(strict_totals, "protect_file", "strict_totals"),
    allow_unprotected = plain(allow_unprotected, "protect_file", "allow_unprotected"),
    structure = plain_structure("protect_file", structure),
    weights = plain(weights, "protect_file", "weights"), preserve = plain_names(preserve, "protect_file", "preserve"),
    copies = plain(copies, "protect_file", "copies"), bounds = plain(bounds, "protect_file", "bounds"),
    decimals = plain(decimals, "protect_file", "decimals")
  )
  start <- start_of("protect_file", seed)
  answer <- ask_of_files("protect_file", paths, plain_method(method), sent_roles("protect_file", roles), start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  written <- copy_paths(output, copies)
  remember(written, as_start(answer[["start"]]))
  tell(as.character(answer[["notes"]]))
  invisible(written)
}

# Where so many copies are: out-1.csv, out-2.csv and so on.
copy_paths <- function(output, copies) {
  if (copies == 1) {
    return(output)
  }
  stem <- sub("[.][^./\\\\]*$", "", output)
  paste0(stem, "-", seq_len(copies), substring(output, nchar(stem) + 1L))
}

# A simulated data set as a file, exactly: R's own write.csv() rounds to 15 digits.
dataset_file <- function(name, output) {
  ask_of_files("dataset_file", list(name = plain(name, "dataset_file", "name"), output = plain_path(output, "output")))
  invisible(output)
}

# What goes by the door of files.
ask_of_files <- function(verb, ...) ask(verb, ..., from = FILES_DOOR)

# A path may come from the command line in a session whose locale does not know that file names are UTF-8.
plain_path <- function(path, name, owner = "protect_file") {
  if (!is.character(path) || length(path) != 1L || is.na(path)) {
    stop_parameter(owner, name, "must be the path of a file", paste("a", class(path)[1L]))
  }
  if (Encoding(path) == "unknown" && validUTF8(path)) Encoding(path) <- "UTF-8"
  pack_texts(path)
}
