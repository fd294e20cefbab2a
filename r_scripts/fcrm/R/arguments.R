# Arguments for Python: text as packed strings, numbers and truth values unchanged, data frames as packed columns.

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

# NaN is a number that Python refuses; reticulate would pass NA as TRUE or as a number.
has_na <- function(x) if (is.double(x)) any(is.na(x) & !is.nan(x)) else anyNA(x)

# Options of a verb by name; packed text is not changed.
plain_options <- function(owner, ...) {
  options <- list(...)
  Map(function(value, name) plain(value, owner, name), options, names(options))
}

# Options of a verb by name, as plain_options() has them: names of columns without the names of that vector.
converted_options <- function(owner, options) {
  converted <- Map(function(value, name) {
    kind <- if (name %in% names(OPTION_KINDS)) OPTION_KINDS[[name]] else "other"
    switch(kind, names = , rules = unname(value), structure = plain_structure(owner, value), limits = plain_limits(owner, value), value)
  }, options, names(options))
  do.call(plain_options, c(list(owner), converted))
}

plain_method <- function(method) {
  parameters <- Map(function(value, name) plain(value, method$call, name), method$parameters, names(method$parameters))
  list(method = method$name, parameters = parameters)
}

# Names of columns, without the names of that vector. Other values are passed too, and Python refuses them.
plain_names <- function(x, owner = "Roles", name = "columns") plain(unname(x), owner, name)

# The columns of `df` among `requested`. Their names are packed separately; each packed column is named by its position.
packed_table <- function(owner, df, requested) {
  requested <- requested_columns(df, requested)
  columns <- lapply(requested, function(name) {
    x <- column_of(df, name)
    if (inherits(x, "integer64") && requireNamespace("bit64", quietly = TRUE)) {
      rule <- paste0("column `", name, "` of class integer64 must hold whole numbers up to 2^53, which doubles hold exactly")
      stop_input(owner, rule, "larger ones")
    }
    if (is.na(kind_of(x))) stop_input(owner, paste0("column `", name, "` must hold numbers"), class_text(x))
    x
  })
  names(columns) <- as.character(seq_along(columns))
  list(
    columns = bytes_from_frame(columns), names = pack_texts(requested), all = pack_texts(names(df)), records = nrow(df),
    values = value_labels(df, requested), titles = column_labels(df, requested), durations = duration_units(df, requested), missing = missing_marks(df, requested)
  )
}

# For each labelled column of numbers (haven, labelled): its position among `requested`, the values, and their labels.
value_labels <- function(df, requested) {
  labels <- lapply(requested, function(name) {
    x <- .subset2(df, name)
    if (inherits(x, c("haven_labelled", "labelled")) && is.numeric(x)) attr(x, "labels")
  })
  labelled <- which(lengths(labels) > 0L)
  lapply(labelled, function(k) list(k, as.double(labels[[k]]), pack_texts(names(labels[[k]]))))
}

# For each column with a label, as haven and others keep it: its position among `requested`, and the label packed.
column_labels <- function(df, requested) {
  labels <- lapply(requested, function(name) {
    label <- attr(.subset2(df, name), "label", exact = TRUE)
    if (is.character(label) && length(label) == 1L && !is.na(label)) pack_texts(label)
  })
  labelled <- which(lengths(labels) > 0L)
  lapply(labelled, function(k) list(k, labels[[k]]))
}

# For each difftime: its position among `requested`, and its unit; hms for a time of day of package hms.
duration_units <- function(df, requested) {
  units <- lapply(requested, function(name) {
    x <- .subset2(df, name)
    if (inherits(x, "hms")) "hms" else if (inherits(x, "difftime")) attr(x, "units")
  })
  durations <- which(lengths(units) > 0L)
  lapply(durations, function(k) list(k, units[[k]]))
}

# For each column with codes of missing values: its position among `requested`, the codes (numbers, or texts), and the ends of the
# range that SPSS has for them. Codes of Stata and SAS are the letters of tagged missing values.
missing_marks <- function(df, requested) {
  marks <- lapply(requested, function(name) {
    x <- .subset2(df, name)
    codes <- if (inherits(x, "haven_labelled_spss")) attr(x, "na_values") else tags_of(x)
    ends <- if (inherits(x, "haven_labelled_spss")) attr(x, "na_range")
    if (length(codes) || length(ends)) list(if (is.character(codes)) pack_texts(codes) else as.double(codes), as.double(ends))
  })
  marked <- which(lengths(marks) > 0L)
  lapply(marked, function(k) c(list(k), marks[[k]]))
}

# The letters of tagged missing values, as haven has them: the fifth byte of the number.
tags_of <- function(x) {
  if (!is.double(x) || is.object(x) && !inherits(x, c("haven_labelled", "labelled"))) {
    return(character())
  }
  gaps <- as.vector(unclass(x))[is.na(x)]
  tags <- unique(matrix(doubles_to_bytes(gaps), 8L)[5L, ])
  letters[letters %in% rawToChar(tags[tags != as.raw(0L)], multiple = TRUE)]
}

# A column for Python: a difftime as a number, a POSIXlt as a POSIXct, user-defined missing values of SPSS as NA, an integer64 of bit64 as
# a double if that is exact.
column_of <- function(df, name) {
  x <- .subset2(df, name)
  if (inherits(x, "haven_labelled_spss")) {
    declared <- x %in% attr(x, "na_values")
    range <- attr(x, "na_range")
    x <- as.vector(unclass(x))
    if (length(range) == 2L) declared <- declared | (!is.na(x) & x >= range[1L] & x <= range[2L])
    x[declared] <- NA
  } else if (inherits(x, "difftime")) {
    x <- as.vector(unclass(x))
  } else if (inherits(x, "POSIXlt")) {
    x <- as.POSIXct(x)
  } else if (inherits(x, "integer64") && requireNamespace("bit64", quietly = TRUE)) {
    wide <- suppressWarnings(bit64::as.double.integer64(x))
    if (all(is.na(wide) | abs(wide) <= 2^53)) x <- wide
  }
  x
}

requested_columns <- function(df, requested) intersect(unlist(lapply(requested, as.character)), names(df))

# Columns that a method uses without a role.
method_keys <- function(method) method$parameters[["keys"]]

# Columns whose names occur in the text of constraints: Python, which parses them, may need these. Quotes in quotes are doubled.
constrained_columns <- function(df, constraints) {
  if (!is.character(constraints)) {
    return(character())
  }
  occurs <- function(name, text) any(grepl(name, text, fixed = TRUE))
  supported <- vapply(names(df), function(name) !is.na(kind_of(column_of(df, name))), NA)
  texts <- c(constraints, gsub("``", "`", constraints, fixed = TRUE), gsub("\"\"", "\"", constraints, fixed = TRUE))
  names(df)[supported & vapply(names(df), occurs, NA, texts)]
}

# Columns of which something is declared, whatever their role: those of a list by name, all of a file of declarations.
declared_columns <- function(df, variables) {
  if (is.null(variables) || identical(variables, "numbers")) {
    return(character())
  }
  if (is.list(variables)) intersect(names(variables), names(df)) else supported_columns(df)
}

# Columns of `weights` and `preserve`.
preserve_columns <- function(df, weights, preserve) c(as.character(weights), constrained_columns(df, preserve))

check_frame <- function(owner, name, df) {
  if (!is.data.frame(df)) {
    stop_parameter(owner, name, "must be a data.frame, a tibble or a data.table", paste("an object of class", class(df)[1L]))
  }
  special <- intersect(class(df), c("sf", "pdata.frame"))
  if (length(special)) {
    stop_input(owner, "a table with a geometry or an index must be converted to a plain one, by sf::st_drop_geometry() or as.data.frame()", special[1L])
  }
}
