# run_plan(): what a plan's file says, done in Python from end to end; the thresholds and the notes come back.

run_plan <- function(plan, overwrite = FALSE) {
  options <- list(overwrite = plain(overwrite, "run_plan", "overwrite"))
  answer <- ask_of_files("run_plan", list(plan = plain_path(plan, "plan")), options)
  structure(
    list(ok = isTRUE(answer[["ok"]])),
    rows = frame_from_bytes(answer[["rows"]]), said = as.character(answer[["said"]]),
    notes = as.character(answer[["notes"]]), class = "fcrm_plan_run"
  )
}

as.data.frame.fcrm_plan_run <- function(x, ...) attr(x, "rows")

notes.fcrm_plan_run <- function(x, ...) attr(x, "notes")

print.fcrm_plan_run <- function(x, ...) {
  print_said(attr(x, "said"))
  print_notes(attr(x, "notes"))
  invisible(x)
}
