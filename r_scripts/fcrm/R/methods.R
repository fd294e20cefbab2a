# The protection methods: a name and its parameters, which Python checks. A new method is one more function here.

fcrm <- function(c, m = 1.5, tol = 1e-5, max_iter = 30, intercept = TRUE, joint = FALSE, basis = "linear",
                 release = "predict", donors = 50, centres = 10, width = NULL) {
  method("FCRM", environment())
}

ipso <- function(kind = "C", variant = "burridge", epsilon = NULL, delta = NULL, clip = NULL, max_leverage = NULL) {
  method("IPSO", environment())
}

gadp <- function() method("GADP", environment())

egadp <- function() method("EGADP", environment())

noise <- function(kind = "uncorrelated", amount = 10) method("Noise", environment())

rankswapping <- function(p = 15, form = "argus") method("RankSwapping", environment())

shuffling <- function() method("Shuffling", environment())

# sdcMicro has a function of this name, which works on data.
microaggregation <- function(k, kind = "mdav", scale = "variance", blocks = NULL, gamma = 0.2, ...) {
  data <- if (missing(k)) "obj" %in% names(sys.call()) else is_data(k)
  theirs <- if (data) masked("microaggregation")
  if (!is.null(theirs)) {
    return(again(theirs, sys.call(), parent.frame(), if (!missing(k)) k))
  }
  if (data) {
    stop_parameter("microaggregation", "k", "must be a number: data are given to protect(), or to sdcMicro::microaggregation()", "data")
  }
  no_more("microaggregation", ...)
  method("Microaggregation", environment())
}

permutation <- function(k = 50) method("Permutation", environment())

hybrid <- function(kind = "linear", alpha = 0.5, k = 3) method("Hybrid", environment())

sequential <- function(model = "cart", order = NULL, min_leaf = 5, complexity = 1e-8) {
  method("Sequential", environment())
}

arf <- function(trees = 30, delta = 0, rounds = 10, min_leaf = 5, heap = 3, smooth = 0.5, relations = TRUE) {
  method("ARF", environment())
}

dummy <- function() method("Dummy", environment())

sampling <- function(fraction = 0.1) method("Sampling", environment())

recoding <- function(breaks, labels = TRUE) method("Recoding", environment())

topbottomcoding <- function(top = NULL, bottom = NULL) method("TopBottomCoding", environment())

localsuppression <- function(k, keys = NULL) method("LocalSuppression", environment())

# Its parameter hides the function `method`.
calibrated <- function(method, moments = TRUE, margins = "smooth", point_mass = NULL) {
  packed_method("Calibrated", environment())
}

# The same, for who writes words apart.
rank_swapping <- rankswapping
top_bottom_coding <- topbottomcoding
local_suppression <- localsuppression

# Packs the arguments of the constructor whose environment this is.
method <- function(name, arguments) {
  word <- tolower(name)
  defaults <- as.list(formals(sys.function(-1L)))
  defaults <- defaults[names(defaults) != "..."]
  required <- vapply(defaults, identical, NA, quote(expr = ))
  for (parameter in names(defaults)[required]) {
    absent <- eval(call("missing", as.name(parameter)), arguments)
    if (absent) stop_parameter(word, parameter, "must be given", "nothing")
  }
  parameters <- mget(as.character(names(defaults)), envir = arguments)
  shown <- as.logical(required)
  shown[!required] <- !mapply(identical, parameters[!required], lapply(defaults[!required], eval, baseenv()))
  if (!any(shown) && length(shown)) shown[1L] <- TRUE
  structure(
    list(name = name, call = word, parameters = parameters, shown = names(defaults)[shown]),
    class = "fcrm_method"
  )
}

packed_method <- method

check_method <- function(owner, x, name = "method") {
  if (!inherits(x, "fcrm_method")) stop_parameter(owner, name, "must be a method such as fcrm(c = 8)", class(x)[1L])
}

format.fcrm_method <- function(x, ...) {
  settings <- vapply(x$parameters[x$shown], function(value) {
    if (inherits(value, "fcrm_method")) format(value) else paste(deparse(value), collapse = " ")
  }, "")
  paste0(x$call, "(", paste(names(settings), settings, sep = " = ", collapse = ", ", recycle0 = TRUE), ")")
}

print.fcrm_method <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
