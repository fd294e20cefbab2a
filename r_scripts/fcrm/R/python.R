# Python: found and loaded at the first call, never when the package is attached.

ENVIRONMENT <- "r-pyfcrm"
DOOR <- "r_bridge.from_r.calls" # what of pyfcrm R calls; comes with the Python package

# Calls one function of the door. Errors come back as data and are raised here, as R's.
ask <- function(verb, ..., from = DOOR) {
  answer <- door(from)[[verb]](...)
  if (!is.null(answer[["error"]])) stop_as_python(answer[["error"]], if (verb == "sweep") "sweep_methods" else verb)
  answer
}

door <- function(name = DOOR) {
  if (!reticulate::py_available() && !managed() && is.null(find_python())) stop_missing("no Python with the package pyfcrm was found")
  tryCatch(
    reticulate::import(name, delay_load = FALSE),
    error = function(e) stop_missing(paste("pyfcrm could not be loaded:", sub("\n.*", "", conditionMessage(e))))
  )
}

# The Python that reticulate is going to use, if pyfcrm is in it; NULL otherwise. Nothing is started in this session.
find_python <- function() {
  prefer_own_environment()
  look <- function() tryCatch(reticulate::py_discover_config("pyfcrm", ENVIRONMENT), error = function(e) NULL)
  config <- without_installing(look())
  if (is.null(config) || is.null(config$python) || !has_pyfcrm(config$python)) NULL else config$python
}

# What the user has chosen goes first: RETICULATE_PYTHON, use_python(); a hint does not override it.
prefer_own_environment <- function() {
  if (!nzchar(Sys.getenv("RETICULATE_PYTHON")) && reticulate::virtualenv_exists(ENVIRONMENT)) {
    reticulate::use_virtualenv(ENVIRONMENT, required = FALSE)
  }
}

# Asked in a process of its own, and without the working folder: a checkout there is no installed package.
has_pyfcrm <- function(python) {
  code <- paste0(
    "import sys; sys.path = [p for p in sys.path if p]; from importlib.util import find_spec; ",
    "sys.exit(find_spec('numpy') is None or find_spec('", DOOR, "') is None)"
  )
  status <- suppressWarnings(system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE))
  identical(as.integer(status), 0L)
}

# reticulate may offer to download a Python of its own; looking for one must not.
without_installing <- function(code) {
  wanted <- c(RETICULATE_MINICONDA_ENABLED = "FALSE", RETICULATE_USE_MANAGED_VENV = "no")
  before <- Sys.getenv(names(wanted), unset = NA, names = TRUE)
  do.call(Sys.setenv, as.list(wanted))
  on.exit({
    Sys.unsetenv(names(before)[is.na(before)])
    if (!all(is.na(before))) do.call(Sys.setenv, as.list(before[!is.na(before)]))
  })
  code
}

stop_missing <- function(found) {
  started <- if (reticulate::py_available()) ", then restart R (this session already runs another Python)" else ""
  set <- Sys.getenv("RETICULATE_PYTHON")
  way_out <- if (nzchar(set)) {
    paste0(
      "the environment variable RETICULATE_PYTHON is set to ", set,
      ": set it to a Python that has pyfcrm, or unset it and run"
    )
  } else {
    "set the environment variable RETICULATE_PYTHON to a Python that has pyfcrm, or run"
  }
  stop_fcrm("missing_python", paste0(found, "; ", way_out, " fcrm::install_pyfcrm() once", started))
}

# Whether protect() and its friends can work here. Starts no Python.
pyfcrm_available <- function() {
  if (reticulate::py_available()) reticulate::py_module_available(DOOR) else !is.null(find_python())
}
