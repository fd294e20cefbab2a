# A session of R with fcrm attached and Python begun, which runs each script in a fork of itself: what takes two seconds
# to begin is begun once. Asked on standard input, a folder a line; answers the same line when the script has ended.
# In the folder: script.R, arguments, and afterwards out, err and status (absent where the script did not end by itself).
library(fcrm)
# What nearly every script needs, imported once.
invisible(lapply(c("r_bridge.from_r.calls", "pandas", "numba"), reticulate::import))

run_script <- function(folder) {
  os <- reticulate::import("os", convert = FALSE)
  for (k in 1:2) {
    path <- file.path(folder, c("out", "err")[k])
    os$dup2(os$open(path, bitwOr(bitwOr(1L, 64L), 512L), 384L), k) # write, create, empty; mode 0600
  }
  dir.create(file.path(folder, "work"))
  setwd(file.path(folder, "work"))
  options(warn = 1)
  assign("commandArgs", function(trailingOnly = FALSE) readLines(file.path(folder, "arguments")), globalenv())
  ran <- tryCatch(
    {
      source(file.path(folder, "script.R"), local = globalenv(), print.eval = TRUE, encoding = "UTF-8")
      "0"
    },
    error = function(e) {
      message("Error: ", conditionMessage(e))
      "1"
    }
  )
  reticulate::py_run_string("import sys; sys.stdout.flush(); sys.stderr.flush()")
  flush(stdout())
  writeLines(ran, file.path(folder, "status"))
}

local({
  run <- run_script
  rm(run_script, envir = globalenv())
  asked <- file("stdin", "r")
  while (length(folder <- readLines(asked, 1))) {
    parallel::mccollect(parallel::mcparallel(run(folder), mc.set.seed = FALSE))
    cat(folder, "\n", sep = "")
    flush(stdout())
  }
})
