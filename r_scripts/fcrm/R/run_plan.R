# run_plan(): Python carries out a plan and returns the verdict and the notes.

run_plan <- function(plan, overwrite = FALSE, despite_hold = NULL, by = NULL) {
  options <- list(
    overwrite = plain(overwrite, "run_plan", "overwrite"),
    despite_hold = plain(despite_hold, "run_plan", "despite_hold"), by = plain(by, "run_plan", "by")
  )
  answer <- ask_of_files("run_plan", list(plan = plain_path(plan, "plan")), options)
  structure(
    list(ok = isTRUE(answer[["ok"]]), verdict = as_verdict(answer[["verdict"]])),
    said = as.character(answer[["said"]]),
    notes = as.character(answer[["notes"]]), class = "fcrm_plan_run"
  )
}

as.data.frame.fcrm_plan_run <- function(x, ...) x$verdict$tests

notes.fcrm_plan_run <- function(x, ...) attr(x, "notes")

print.fcrm_plan_run <- function(x, ...) {
  cat(paste0(attr(x, "said"), "\n"), sep = "")
  print_notes(attr(x, "notes"))
  invisible(x)
}
