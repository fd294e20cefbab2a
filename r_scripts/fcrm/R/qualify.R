# qualify(): compares the installed pyfcrm with the record of its files, and its results with stored values.

qualify <- function(html = NULL) {
  answer <- call_files("qualify", list(html = if (!is.null(html)) plain_path(html, "html")))
  structure(
    list(ok = isTRUE(answer[["ok"]])),
    rows = frame_from_bytes(answer[["rows"]]), sentences = as.character(answer[["sentences"]]), class = "fcrm_qualification"
  )
}

as.data.frame.fcrm_qualification <- function(x, ...) attr(x, "rows")

print.fcrm_qualification <- function(x, ...) {
  cat(paste0(attr(x, "sentences"), "\n"), sep = "")
  invisible(x)
}
