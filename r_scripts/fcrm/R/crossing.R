# What crosses to Python besides columns: text as packed strings, numbers and truth values as they are.

plain <- function(x, owner, name) {
  if (is.null(x)) {
    return(NULL)
  }
  if (inherits(x, "fcrm_method")) {
    return(plain_method(x))
  }
  if (is.factor(x)) x <- as.character(x)
  if (!is.atomic(x) && !is.list(x)) stop_parameter(owner, name, "must be numbers, text, TRUE or FALSE", class(x)[1L])
  if (is.atomic(x) && has_na(x)) stop_parameter(owner, name, "must not be NA", "NA")
  if (!is.null(names(x))) {
    return(list(names = pack_texts(names(x)), values = lapply(unname(as.list(x)), plain, owner, name)))
  }
  if (is.character(x)) {
    return(pack_texts(x, owner))
  }
  if (is.list(x)) lapply(x, plain, owner, name) else as.vector(x)
}

# NaN is a number that Python knows and refuses itself; NA it would take for TRUE or for a number.
has_na <- function(x) if (is.double(x)) any(is.na(x) & !is.nan(x)) else anyNA(x)

plain_method <- function(method) {
  parameters <- Map(function(value, name) plain(value, method$call, name), method$parameters, names(method$parameters))
  list(method = method$name, parameters = parameters)
}

# The names of columns, whatever names that vector has itself; anything else goes as it is, for Python to refuse.
plain_names <- function(x, owner = "Roles", name = "columns") plain(unname(x), owner, name)

# The columns of `df` among `wanted`. Their names go separately, packed; here they are numbers.
crossing <- function(owner, df, wanted) {
  wanted <- wanted_columns(df, wanted)
  columns <- lapply(wanted, function(name) {
    x <- column_of(df, name)
    if (is.na(kind_of(x))) stop_input(owner, paste0("column `", name, "` must hold numbers"), describe(x))
    x
  })
  names(columns) <- as.character(seq_along(columns))
  list(
    columns = bytes_from_frame(columns), names = pack_texts(wanted), all = pack_texts(names(df)), records = nrow(df),
    values = value_labels(df, wanted)
  )
}

# Of each labelled column of numbers (haven, labelled): its place among `wanted`, the values, and their labels.
value_labels <- function(df, wanted) {
  labels <- lapply(wanted, function(name) {
    x <- .subset2(df, name)
    if (inherits(x, c("haven_labelled", "labelled")) && is.numeric(x)) attr(x, "labels")
  })
  labelled <- which(lengths(labels) > 0L)
  lapply(labelled, function(k) list(k, as.double(labels[[k]]), pack_texts(names(labels[[k]]))))
}

# A column as it crosses: a difftime as the number it is, the missing values that SPSS's users declare as missing, a wide
# integer of bit64's as a double, where that is exact.
column_of <- function(df, name) {
  x <- .subset2(df, name)
  if (inherits(x, "haven_labelled_spss")) {
    declared <- x %in% attr(x, "na_values")
    range <- attr(x, "na_range")
    x <- as.vector(unclass(x))
    if (length(range) == 2L) declared <- declared | (!is.na(x) & x >= range[1L] & x <= range[2L])
    x[declared] <- NA
  } else if (inherits(x, "difftime")) {
    x <- as.double(unclass(x))
  } else if (inherits(x, "integer64") && requireNamespace("bit64", quietly = TRUE)) {
    wide <- suppressWarnings(bit64::as.double.integer64(x))
    if (all(is.na(wide) | abs(wide) <= 2^53)) x <- wide
  }
  x
}

wanted_columns <- function(df, wanted) intersect(unlist(lapply(wanted, as.character)), names(df))

# The columns a method works on beside those with a role.
method_keys <- function(method) method$parameters[["keys"]]

# The columns that a constraint may be about: those whose names stand somewhere in its text. Python reads it properly.
# In quotes a quote is written twice.
constrained_columns <- function(df, constraints) {
  if (!is.character(constraints)) {
    return(character())
  }
  stands <- function(name, text) any(grepl(name, text, fixed = TRUE))
  crosses <- vapply(names(df), function(name) !is.na(kind_of(column_of(df, name))), NA)
  said <- c(constraints, gsub("``", "`", constraints, fixed = TRUE), gsub("\"\"", "\"", constraints, fixed = TRUE))
  names(df)[crosses & vapply(names(df), stands, NA, said)]
}

# The columns that these are about.
answered_columns <- function(df, weights, preserve) c(as.character(weights), constrained_columns(df, preserve))

check_frame <- function(owner, name, df) {
  if (!is.data.frame(df)) {
    stop_parameter(owner, name, "must be a data.frame, a tibble or a data.table", paste("an object of class", class(df)[1L]))
  }
  more <- intersect(class(df), c("sf", "pdata.frame"))
  if (length(more)) {
    stop_input(owner, "a table with a geometry or an index must come as a plain one, by sf::st_drop_geometry() or as.data.frame()", more[1L])
  }
}
