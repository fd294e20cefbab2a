# protect_file(): Python reads a file and writes its release; R receives the notes only.

FILES_MODULE <- "r_bridge.from_r.files"

# What protect_file() does, whose formal arguments are in R/generated.R. columns, more : names by role; options : by name.
protect_path <- function(input, output, method, columns, more, seed, options, manifest, ledger) {
  check_method("protect_file", method)
  paths <- list(source = plain_path(input, "input"), output = plain_path(output, "output"),
                manifest = if (!is.null(manifest)) plain_path(manifest, "manifest"),
                ledger = if (!is.null(ledger)) plain_path(ledger, "ledger"))
  roles <- roles_of("protect_file", NULL, columns$independent, columns$dependent, columns$identifiers, columns$unknown, more)
  if (is.null(roles$dependent)) roles$dependent <- method_keys(method)
  arguments <- converted_options("protect_file", options)
  random <- seed_arguments("protect_file", seed)
  answer <- call_files("protect_file", paths, plain_method(method), plain_roles("protect_file", roles), random$seed, random$state, arguments)
  set_random_state(random, answer[["state"]])
  written <- copy_paths(output, options$copies)
  store_release(
    written, seed = as_seed(answer[["seed"]]), notes = as.character(answer[["notes"]]),
    all_notes = as.character(answer[["all_notes"]])
  )
  emit_notes(as.character(answer[["notes"]]), written)
  invisible(written)
}

# Paths of copies: out-1.csv, out-2.csv and so on.
copy_paths <- function(output, copies) {
  if (copies == 1) {
    return(output)
  }
  stem <- sub("[.][^./\\\\]*$", "", output)
  paste0(stem, "-", seq_len(copies), substring(output, nchar(stem) + 1L))
}

# A simulated data set as a file, exactly: R's own write.csv() rounds to 15 digits.
dataset_file <- function(name, output) {
  call_files("dataset_file", plain(name, "dataset_file", "name"), list(output = plain_path(output, "output")))
  invisible(output)
}

# Calls a function of the module for files.
call_files <- function(verb, ...) call_python(verb, ..., module = FILES_MODULE)

# A path may come from the command line in a session whose locale does not know that file names are UTF-8.
plain_path <- function(path, name, owner = "protect_file") {
  if (!is.character(path) || length(path) != 1L || is.na(path)) {
    stop_parameter(owner, name, "must be the path of a file", paste("a", class(path)[1L]))
  }
  if (Encoding(path) == "unknown" && validUTF8(path)) Encoding(path) <- "UTF-8"
  pack_texts(path)
}
