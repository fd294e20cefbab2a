# Python is found and loaded at the first call, not when the package is attached.

ENVIRONMENT <- "r-pyfcrm"
PYTHON_MODULE <- "r_bridge.from_r.calls" # functions for R in the Python package

# Calls a function of the Python module. Errors are returned as data and raised here as R errors.
call_python <- function(verb, ..., module = PYTHON_MODULE) {
  answer <- with_progress(function(progress) python_module(module)[[verb]](..., progress = progress))
  if (!is.null(answer[["error"]])) stop_as_python(answer[["error"]], if (verb == "sweep") "sweep_methods" else verb)
  answer
}

python_module <- function(name = PYTHON_MODULE) {
  if (!reticulate::py_available() && !managed() && is.null(find_python())) stop_missing("no Python with the package pyfcrm was found")
  tryCatch(
    reticulate::import(name, delay_load = FALSE),
    error = function(e) stop_missing(paste("pyfcrm could not be loaded:", sub("\n.*", "", conditionMessage(e))))
  )
}

# The Python that reticulate will use, if it has pyfcrm; else NULL. No Python is started in this session.
find_python <- function() {
  prefer_own_environment()
  discover <- function() tryCatch(reticulate::py_discover_config("pyfcrm", ENVIRONMENT), error = function(e) NULL)
  config <- suppressWarnings(without_installing(discover())) # in a checkout reticulate warns of other tools for projects
  if (is.null(config) || is.null(config$python) || !has_pyfcrm(config$python)) NULL else config$python
}

# A choice of the user has priority: RETICULATE_PYTHON or use_python(); this hint does not override it.
prefer_own_environment <- function() {
  if (!nzchar(Sys.getenv("RETICULATE_PYTHON")) && reticulate::virtualenv_exists(ENVIRONMENT)) {
    reticulate::use_virtualenv(ENVIRONMENT, required = FALSE)
  }
}

# Checked in a separate process, without the working folder: a checkout there is not an installed package.
has_pyfcrm <- function(python) {
  code <- paste0(
    "import sys; sys.path = [p for p in sys.path if p]; from importlib.util import find_spec; ",
    "sys.exit(find_spec('numpy') is None or find_spec('", PYTHON_MODULE, "') is None)"
  )
  status <- suppressWarnings(system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE))
  identical(as.integer(status), 0L)
}

# Without reticulate's offer to download a Python.
without_installing <- function(code) {
  variables <- c(RETICULATE_MINICONDA_ENABLED = "FALSE", RETICULATE_USE_MANAGED_VENV = "no")
  before <- Sys.getenv(names(variables), unset = NA, names = TRUE)
  do.call(Sys.setenv, as.list(variables))
  on.exit({
    Sys.unsetenv(names(before)[is.na(before)])
    if (!all(is.na(before))) do.call(Sys.setenv, as.list(before[!is.na(before)]))
  })
  code
}

stop_missing <- function(reason) {
  started <- if (reticulate::py_available()) ", then restart R (this session already runs another Python)" else ""
  set <- Sys.getenv("RETICULATE_PYTHON")
  remedy <- if (nzchar(set)) {
    paste0(
      "the environment variable RETICULATE_PYTHON is set to ", set,
      ": set it to a Python that has pyfcrm, or unset it and run"
    )
  } else {
    "set the environment variable RETICULATE_PYTHON to a Python that has pyfcrm, or run"
  }
  stop_fcrm("missing_python", paste0(reason, "; ", remedy, " ", INSTALL, " once", started))
}

# Whether Python with pyfcrm is available. Starts no Python.
pyfcrm_available <- function() {
  if (reticulate::py_available()) reticulate::py_module_available(PYTHON_MODULE) else !is.null(find_python())
}
