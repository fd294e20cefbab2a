# What a `seed` means: a whole number; "fresh", the system's entropy; 626 integers, as .Random.seed; or NULL, R's own
# random numbers, continued from where they stand and left where Python's stream ended.

GENERATORS <- c("Mersenne-Twister", "Inversion", "Rejection")
SET_GENERATORS <- 'RNGkind("Mersenne-Twister", "Inversion", "Rejection")'
STATE_LENGTH <- 626L

# list(seed, state, own) to send: state as bytes or NULL; own : whether R's own state must go on from the answer.
# A fresh start sends neither: Python fills the whole state, and R's own is none of its business.
start_of <- function(owner, seed, told = owner) {
  if (is.null(seed)) {
    return(list(seed = NULL, state = own_state(owner), own = TRUE))
  }
  if (identical(seed, "fresh")) {
    return(list(seed = NULL, state = NULL, own = FALSE))
  }
  if (is.numeric(seed) && length(seed) == STATE_LENGTH) {
    # A word of -2147483648 is NA to R: as a double it is a number, as an integer it has the same bits.
    words <- suppressWarnings(as.integer(seed))
    return(list(seed = pack_texts("given"), state = integers_to_bytes(words), own = FALSE))
  }
  list(seed = plain(seed, told, "seed"), state = NULL, own = FALSE)
}

own_state <- function(owner) {
  kind <- RNGkind()
  if (!identical(kind, GENERATORS)) {
    rule <- paste0("= NULL continues R's own random numbers, which must come from ", SET_GENERATORS)
    stop_parameter(owner, "seed", rule, paste(kind, collapse = ", "))
  }
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) set.seed(NULL)
  integers_to_bytes(get(".Random.seed", globalenv(), inherits = FALSE))
}

keep_random_state <- function(start, bytes) {
  if (start$own && !is.null(bytes)) assign(".Random.seed", integers_from_bytes(bytes), envir = globalenv())
}

# What Python says something started from: a number, or a state as bytes.
as_start <- function(sent) if (is.raw(sent)) integers_from_bytes(sent) else sent
