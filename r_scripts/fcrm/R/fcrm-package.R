# Calls on data.tables in this package follow the rules of data.table, not those of data frames.
.datatable.aware <- TRUE

# From version 1.41 reticulate can create an environment. pyfcrm is not on an index: FCRM_PACKAGE is a checkout or a wheel.
.onLoad <- function(...) if (managed()) getExportedValue("reticulate", "py_require")(Sys.getenv("FCRM_PACKAGE"))

managed <- function() nzchar(Sys.getenv("FCRM_PACKAGE")) && "py_require" %in% getNamespaceExports("reticulate")
