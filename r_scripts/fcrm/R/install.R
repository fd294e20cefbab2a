# Installs the Python environment of the package, and reports what is installed.

install_pyfcrm <- function(package = NULL, envname = "r-pyfcrm", python = NULL, options = character(), wheelhouse = NULL,
                           extras = character()) {
  start <- proc.time()[["elapsed"]]
  if (!is.null(wheelhouse) && !dir.exists(wheelhouse)) {
    stop_parameter("install_pyfcrm", "wheelhouse", "must be a folder of wheels", wheelhouse)
  }
  if (is.null(package) && is.null(wheelhouse)) {
    stop_parameter("install_pyfcrm", "package", "must be a checkout or a wheel of pyfcrm, which no index has", "nothing")
  }
  if (is.null(package)) package <- "pyfcrm"
  if (!reticulate::virtualenv_exists(envname)) {
    if (is.null(python)) python <- starting_python()
    message("Creating the environment with ", python)
    reticulate::virtualenv_create(envname, python = python, packages = FALSE)
  }
  own <- reticulate::virtualenv_python(envname)
  if (dir.exists(package) || file.exists(package)) package <- normalizePath(package)
  if (length(extras)) package <- paste0(package, "[", paste(extras, collapse = ","), "]")
  if (!is.null(wheelhouse)) {
    options <- c("--no-index", "--find-links", shQuote(normalizePath(wheelhouse)), options)
  }
  status <- system2(own, c("-m", "pip", "install", "--upgrade", options, shQuote(package)))
  if (!identical(as.integer(status), 0L) || !has_pyfcrm(own)) {
    stop_fcrm("missing_python", paste0(
      "install_pyfcrm: pip could not install ", package, " into ", dirname(dirname(own)), "; see its messages above"
    ))
  }
  message("pyfcrm is installed in ", dirname(dirname(own)), ", in ", round(proc.time()[["elapsed"]] - start), " s")
  if (reticulate::py_available()) message("Restart R: this session already runs a Python.")
  invisible(own)
}

# The first Python on the PATH that can create an environment and fetch packages. A message gives the reason for each one skipped.
starting_python <- function() {
  folders <- strsplit(Sys.getenv("PATH"), .Platform$path.sep, fixed = TRUE)[[1L]]
  names <- paste0(c("python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"), if (.Platform$OS.type == "windows") ".exe")
  found <- Filter(function(path) file.access(path, 1L) == 0L, file.path(rep(folders, each = length(names)), names))
  code <- "import sys, ssl, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
  for (python in unique(found)) {
    status <- suppressWarnings(system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE))
    if (identical(as.integer(status), 0L)) {
      message("Using ", python, ": the first on the PATH of version 3.11 or newer with ssl, venv and ensurepip")
      return(python)
    }
    message("Not ", python, ": it is older than 3.11, or has no ssl, venv or ensurepip (Debian: apt-get install python3-venv)")
  }
  stop_fcrm("missing_python", paste0(
    "install_pyfcrm: no Python on the PATH is 3.11 or newer and can create an environment; name one, as in ",
    "install_pyfcrm(python = \"/path/to/python3\")"
  ))
}

pyfcrm_doctor <- function() {
  python <- if (reticulate::py_available()) reticulate::py_config()$python else find_python()
  version <- if (is.null(python)) NA else pyfcrm_version(python)
  generators <- if (identical(RNGkind(), GENERATORS)) paste(GENERATORS, collapse = ", ") else NA
  rows <- list(
    c("R", as.character(getRversion()), ""),
    c("fcrm", as.character(packageVersion("fcrm")), ""),
    c("reticulate", as.character(packageVersion("reticulate")), ""),
    c("Python with pyfcrm", if (is.null(python)) NA else python, "fcrm::install_pyfcrm()"),
    c("pyfcrm", version, "fcrm::install_pyfcrm()"),
    c("generators for seed = NULL", generators, SET_GENERATORS)
  )
  table <- data.frame(
    what = vapply(rows, `[`, "", 1L), found = vapply(rows, `[`, "", 2L), mend = vapply(rows, `[`, "", 3L)
  )
  table$mend[!is.na(table$found)] <- ""
  structure(table, class = c("pyfcrm_doctor", "data.frame"))
}

pyfcrm_version <- function(python) {
  code <- "from importlib.metadata import version; print(version('pyfcrm'))"
  version <- suppressWarnings(system2(python, c("-c", shQuote(code)), stdout = TRUE, stderr = FALSE))
  if (length(version) == 1L) version else NA_character_
}

print.pyfcrm_doctor <- function(x, ...) {
  found <- ifelse(is.na(x$found), paste0("missing; run ", x$mend), x$found)
  cat(paste0(format(x$what), "  ", found, "\n"), sep = "")
  invisible(x)
}
