# run_plan(): Python runs a plan and returns the verdict and the notes.

run_plan <- function(plan, overwrite = FALSE, despite_hold = NULL, by = NULL) {
  options <- plain_options("run_plan", overwrite = overwrite, despite_hold = despite_hold, by = by)
  answer <- call_files("run_plan", list(plan = plain_path(plan, "plan")), options)
  result <- structure(
    list(ok = isTRUE(answer[["ok"]]), verdict = as_verdict(answer[["verdict"]])),
    sentences = as.character(answer[["sentences"]]),
    notes = as.character(answer[["notes"]]), class = "fcrm_plan_run"
  )
  warn_of_hold(result$verdict, result)
  result
}

as.data.frame.fcrm_plan_run <- function(x, ...) x$verdict$tests

notes.fcrm_plan_run <- function(x, ...) attr(x, "notes")

print.fcrm_plan_run <- function(x, ...) {
  cat(paste0(attr(x, "sentences"), "\n"), sep = "")
  print_notes(attr(x, "notes"))
  invisible(x)
}
