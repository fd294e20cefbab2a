# A `seed` is a whole number; "fresh", the system's entropy; 626 integers, as .Random.seed; or NULL: Python continues R's own random
# numbers, and R continues after Python's draws.

GENERATORS <- c("Mersenne-Twister", "Inversion", "Rejection")
SET_GENERATORS <- 'RNGkind("Mersenne-Twister", "Inversion", "Rejection")'
STATE_LENGTH <- 626L

# list(seed, state, own): seed and state for Python, the state as bytes or NULL; own : whether Python continues R's own state.
# Of a fresh seed both are NULL: Python fills the whole state, and R's own state does not change.
seed_arguments <- function(owner, seed, verb = owner) {
  if (is.null(seed)) {
    return(list(seed = NULL, state = own_state(owner), own = TRUE))
  }
  if (identical(seed, "fresh")) {
    return(list(seed = NULL, state = NULL, own = FALSE))
  }
  if (is.numeric(seed) && length(seed) == STATE_LENGTH) {
    # -2147483648 is a number as a double, and as an integer NA with the same bits.
    words <- suppressWarnings(as.integer(seed))
    return(list(seed = pack_texts("state"), state = integers_to_bytes(words), own = FALSE))
  }
  list(seed = plain(seed, verb, "seed"), state = NULL, own = FALSE)
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

set_random_state <- function(random, bytes) {
  if (random$own && !is.null(bytes)) assign(".Random.seed", integers_from_bytes(bytes), envir = globalenv())
}

# A seed from Python: a number, or a state as bytes.
as_seed <- function(seed) if (is.raw(seed)) integers_from_bytes(seed) else seed
