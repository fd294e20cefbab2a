# Installs the Python environment of the package, and reports what is installed.

install_pyfcrm <- function(package = NULL, envname = "r-pyfcrm", python = NULL, options = character(), wheelhouse = NULL,
                           extras = character(), quiet = FALSE) {
  start <- proc.time()[["elapsed"]]
  if (!is.null(wheelhouse) && !dir.exists(wheelhouse)) {
    stop_parameter("install_pyfcrm", "wheelhouse", "must be a folder of wheels", wheelhouse)
  }
  package <- package_to_install(package, wheelhouse)
  if (!reticulate::virtualenv_exists(envname)) {
    if (is.null(python)) python <- starting_python()
    create <- function() reticulate::virtualenv_create(envname, python = python, packages = FALSE)
    if (quiet) utils::capture.output(create()) else create()
  }
  own <- reticulate::virtualenv_python(envname)
  folder <- dirname(dirname(own))
  message("Installing ", package, " and the packages it needs into ", folder, ": about 0.9 GB, in 1 to 10 minutes")
  status <- system2(own, c("-m", "pip", "install", "--upgrade", pip_options(package, wheelhouse, options, extras, quiet)))
  if (!identical(as.integer(status), 0L) || !has_pyfcrm(own)) {
    stop_fcrm("missing_python", paste0("install_pyfcrm: pip could not install ", package, " into ", folder, "; see its messages above"))
  }
  message("pyfcrm is installed in ", folder, ", in ", round(proc.time()[["elapsed"]] - start), " s")
  if (reticulate::py_available()) message("Restart R: this session already runs a Python.")
  invisible(own)
}

# What pip installs: the user's choice; without one pyfcrm from the wheelhouse, or the checkout that the working folder is in.
package_to_install <- function(package, wheelhouse) {
  if (is.null(package) && !is.null(wheelhouse)) {
    return("pyfcrm")
  }
  if (is.null(package)) package <- checkout_of(getwd())
  if (is.null(package)) {
    rule <- paste0(
      "must be the folder of a checkout, or a wheel, of pyfcrm, which is on no package index: run ", INSTALL,
      ", or without `package` in a folder of the checkout"
    )
    stop_parameter("install_pyfcrm", "package", rule, "nothing")
  }
  if (file.exists(package)) normalizePath(package) else package
}

# The command in messages of this package.
INSTALL <- "fcrm::install_pyfcrm(\"path/to/pyfcrm\")"

# The checkout of pyfcrm that `folder` is, or is in; else NULL.
checkout_of <- function(folder) {
  folder <- normalizePath(folder)
  repeat {
    project <- file.path(folder, "pyproject.toml")
    if (file.exists(project) && any(grepl("^name *= *[\"']pyfcrm[\"']", readLines(project, warn = FALSE)))) {
      return(folder)
    }
    if (dirname(folder) == folder) {
      return(NULL)
    }
    folder <- dirname(folder)
  }
}

# Options and packages of `pip install`.
pip_options <- function(package, wheelhouse, options, extras, quiet) {
  if (length(extras)) package <- paste0(package, "[", paste(extras, collapse = ","), "]")
  offline <- if (!is.null(wheelhouse)) c("--no-index", "--find-links", shQuote(normalizePath(wheelhouse)))
  c(if (quiet) "--quiet", offline, options, shQuote(package), vapply(numpy_requirements(wheelhouse), shQuote, ""))
}

# Requirements of an older reticulate, which converts arrays of NumPy 1 only: with NumPy 2 other code for reticulate in the session
# fails. This package itself passes no arrays, so that a wheelhouse without NumPy 1 can be used as it is.
numpy_requirements <- function(wheelhouse = NULL, reticulate = packageVersion("reticulate")) {
  has_numpy_1 <- is.null(wheelhouse) || length(dir(wheelhouse, "^numpy-1[.]"))
  if (reticulate < CONVERTS_NUMPY_2 && has_numpy_1) {
    # pyarrow 26 does not run with NumPy 1, and its metadata do not say so. NumPy 1 is not built for Python 3.13 and later.
    return(paste0(c("numpy<2", "pyarrow<26"), "; python_version < \"3.13\""))
  }
  character()
}

CONVERTS_NUMPY_2 <- "1.39"  # reticulate's NEWS: NumPy 2.0 since 1.38, NumPy 2.1 since 1.39

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
    "fcrm::install_pyfcrm(\"path/to/pyfcrm\", python = \"/path/to/python3\")"
  ))
}

pyfcrm_doctor <- function() {
  python <- if (reticulate::py_available()) reticulate::py_config()$python else find_python()
  version_of <- function(name) if (is.null(python)) NA_character_ else python_package_version(python, name)
  generators <- if (identical(RNGkind(), GENERATORS)) paste(GENERATORS, collapse = ", ") else NA
  numpy <- numpy_row(version_of("numpy"), packageVersion("reticulate"))
  rows <- list(
    c("R", as.character(getRversion()), ""),
    c("fcrm", as.character(packageVersion("fcrm")), ""),
    c("reticulate", as.character(packageVersion("reticulate")), ""),
    c("Python with pyfcrm", if (is.null(python)) NA else python, INSTALL),
    c("pyfcrm", version_of("pyfcrm"), INSTALL),
    c("NumPy", numpy$found, numpy$remedy),
    c("generators for seed = NULL", generators, SET_GENERATORS)
  )
  table <- data.frame(
    what = vapply(rows, `[`, "", 1L), found = vapply(rows, `[`, "", 2L), remedy = vapply(rows, `[`, "", 3L)
  )
  table$remedy[!is.na(table$found) & table$what != "NumPy"] <- ""
  structure(table, class = c("pyfcrm_doctor", "data.frame"))
}

# The version of NumPy, and what to do if this reticulate does not convert its arrays.
numpy_row <- function(numpy, reticulate) {
  if (is.na(numpy)) {
    return(list(found = numpy, remedy = INSTALL))
  }
  if (reticulate >= CONVERTS_NUMPY_2 || numeric_version(numpy, strict = FALSE) < "2") {
    return(list(found = numpy, remedy = ""))
  }
  list(
    found = paste0(numpy, ", whose arrays reticulate ", reticulate, " does not convert (fcrm needs none)"),
    remedy = "install.packages(\"reticulate\")"
  )
}

python_package_version <- function(python, name) {
  code <- paste0("from importlib.metadata import version; print(version('", name, "'))")
  version <- suppressWarnings(system2(python, c("-c", shQuote(code)), stdout = TRUE, stderr = FALSE))
  if (length(version) == 1L) version else NA_character_
}

print.pyfcrm_doctor <- function(x, ...) {
  missing <- is.na(x$found)
  found <- ifelse(missing, "missing", x$found)
  remedy <- ifelse(nzchar(x$remedy), paste0("; run ", x$remedy), "")
  cat(paste0(format(x$what), "  ", found, remedy, "\n"), sep = "")
  invisible(x)
}
