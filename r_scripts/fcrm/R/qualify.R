# qualify(): whether the installed pyfcrm is the one that was built, and still gives the answers. Python looks at itself.

qualify <- function(html = NULL) {
  answer <- ask_of_files("qualify", list(html = if (!is.null(html)) plain_path(html, "html")))
  structure(
    list(ok = isTRUE(answer[["ok"]])),
    rows = frame_from_bytes(answer[["rows"]]), said = as.character(answer[["said"]]), class = "fcrm_qualification"
  )
}

as.data.frame.fcrm_qualification <- function(x, ...) attr(x, "rows")

print.fcrm_qualification <- function(x, ...) {
  cat(paste0(attr(x, "said"), "\n"), sep = "")
  invisible(x)
}
