# Calls on data.tables inside this package follow data.table's own rules, not those of data frames.
.datatable.aware <- TRUE

# reticulate makes an environment of its own from 1.41 on. pyfcrm is on no index: FCRM_PACKAGE is a checkout or a wheel.
.onLoad <- function(...) if (managed()) getExportedValue("reticulate", "py_require")(Sys.getenv("FCRM_PACKAGE"))

managed <- function() nzchar(Sys.getenv("FCRM_PACKAGE")) && "py_require" %in% getNamespaceExports("reticulate")
