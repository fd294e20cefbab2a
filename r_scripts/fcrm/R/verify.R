# verify_release(): whether a release is the one its manifest describes, and whether it can be reproduced. Python reads the files.

verify_release <- function(manifest, release, original = NULL, dossier = NULL) {
  paths <- list(manifest = plain_path(manifest, "manifest"), release = plain_path(release, "release"))
  paths["original"] <- list(if (!is.null(original)) plain_path(original, "original"))
  paths["dossier"] <- list(if (!is.null(dossier)) plain_path(dossier, "dossier"))
  answer <- call_files("verify", paths)
  structure(
    list(ok = isTRUE(answer[["ok"]])),
    rows = frame_from_bytes(answer[["rows"]]), sentences = as.character(answer[["sentences"]]), prov = answer[["prov"]],
    class = "fcrm_verification"
  )
}

as.data.frame.fcrm_verification <- function(x, ...) attr(x, "rows")

print.fcrm_verification <- function(x, ...) {
  cat(if (x$ok) "Verified.\n" else "NOT VERIFIED.\n")
  print_sentences(attr(x, "sentences"))
  invisible(x)
}
