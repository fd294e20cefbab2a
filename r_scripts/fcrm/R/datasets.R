# Data to try things on, simulated in Python from R's own random numbers.

survey <- function(n = 2000, seed = 1) simulated("survey", n, seed)

census_like <- function(n = 1080, seed = 1) simulated("census_like", n, seed)

enterprises <- function(n = 1000, seed = 1) simulated("enterprises", n, seed)

accounts <- function(n = 1000, seed = 1) simulated("accounts", n, seed)

simulated <- function(name, n, seed) {
  start <- start_of(name, seed)
  answer <- ask("dataset", name, plain(n, name, "n"), start$seed, start$state)
  keep_random_state(start, answer[["state"]])
  frame_from_bytes(answer[["columns"]])
}
