# Calls on data.tables inside this package follow data.table's own rules, not those of data frames.
.datatable.aware <- TRUE
