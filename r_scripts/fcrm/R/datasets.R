# Simulated data for examples, generated in Python from R's random streams.

survey <- function(n = 2000, seed = 1) simulated("survey", n, seed)

census_like <- function(n = 1080, seed = 1) simulated("census_like", n, seed)

enterprises <- function(n = 1000, seed = 1) simulated("enterprises", n, seed)

accounts <- function(n = 1000, seed = 1) simulated("accounts", n, seed)

simulated <- function(name, n, seed) {
  random <- seed_arguments(name, seed)
  answer <- call_python("dataset", name, plain(n, name, "n"), random$seed, random$state)
  set_random_state(random, answer[["state"]])
  frame_from_bytes(answer[["columns"]])
}
