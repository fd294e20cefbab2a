# dossier(): what a board needs to decide on a release of files. Python reads and writes them.

dossier <- function(original, release, manifest, output, purpose = "", recipients = "", limits = NULL, audit = TRUE, copies = 1) {
  paths <- list(
    original = plain_path(original, "original"), release = plain_path(release, "release"),
    manifest = plain_path(manifest, "manifest"), output = plain_path(output, "output")
  )
  for (text in list(purpose, recipients)) {
    if (!is.character(text) || length(text) != 1L || is.na(text)) {
      stop_parameter("dossier", "purpose", "and `recipients` must be one text each", toString(text))
    }
  }
  options <- plain_options(
    "dossier", purpose = purpose, recipients = recipients, limits = plain_limits("dossier", limits), audit = audit,
    copies = copies
  )
  answer <- call_files("dossier", paths, options)
  structure(
    list(files = as.character(answer[["files"]])),
    rows = frame_from_bytes(answer[["rows"]]), sentences = as.character(answer[["sentences"]]),
    notes = as.character(answer[["notes"]]), class = "fcrm_dossier"
  )
}

as.data.frame.fcrm_dossier <- function(x, ...) attr(x, "rows")

print.fcrm_dossier <- function(x, ...) {
  print_sentences(attr(x, "sentences"))
  cat("files: ", toString(x$files), "\n", sep = "")
  invisible(x)
}
