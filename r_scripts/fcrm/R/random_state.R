# R's own random state: seed = NULL continues it from where it stands, and leaves it where Python's stream ended.

GENERATORS <- c("Mersenne-Twister", "Inversion", "Rejection")
SET_GENERATORS <- 'RNGkind("Mersenne-Twister", "Inversion", "Rejection")'

# The state as bytes, or NULL where a seed was given and R's own state is none of our business.
random_state <- function(owner, seed) {
  if (!is.null(seed)) {
    return(NULL)
  }
  kind <- RNGkind()
  if (!identical(kind, GENERATORS)) {
    rule <- paste0("= NULL continues R's own random numbers, which must come from ", SET_GENERATORS)
    stop_parameter(owner, "seed", rule, paste(kind, collapse = ", "))
  }
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) set.seed(NULL)
  integers_to_bytes(get(".Random.seed", globalenv(), inherits = FALSE))
}

keep_random_state <- function(bytes) {
  if (!is.null(bytes)) assign(".Random.seed", integers_from_bytes(bytes), envir = globalenv())
}
