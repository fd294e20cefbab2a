# Protection methods: a name and parameters, which Python checks. A new method is a new function here.

fcrm <- function(c, m = 1.5, tol = 1e-5, max_iter = 30, intercept = TRUE, joint = FALSE, basis = "linear",
                 release = "predict", donors = 50) {
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

# sdcMicro has functions of these names for data: microaggregation() and pram().
refuse_data <- function(owner, name, rule) {
  stop_parameter(owner, name, paste0(rule, ": data are arguments of protect(), or of sdcMicro::", owner, "()"), "data")
}

microaggregation <- function(k, kind = "mdav", scale = "variance", blocks = NULL) {
  if (!missing(k) && (is.data.frame(k) || is.matrix(k) || isS4(k))) refuse_data("microaggregation", "k", "must be a number")
  method("Microaggregation", environment())
}

permutation <- function(k = 50) method("Permutation", environment())

hybrid <- function(kind = "linear", alpha = 0.5, k = 3) method("Hybrid", environment())

sequential_trees <- function(model = "cart", order = NULL, min_leaf = 5, complexity = 1e-8) {
  method("Sequential", environment())
}

arf <- function(trees = 30, delta = 0, rounds = 10, min_leaf = 5, heap = 3, smooth = 0.5, relations = TRUE) {
  method("ARF", environment())
}

dummy <- function() method("Dummy", environment())

sampling <- function(fraction = 0.1) method("Sampling", environment())

recoding <- function(breaks, labels = TRUE) method("Recoding", environment())

topbottomcoding <- function(top = NULL, bottom = NULL) method("TopBottomCoding", environment())

localsuppression <- function(k = 2, keys = NULL) method("LocalSuppression", environment())

pram <- function(matrix = NULL, keep = 0.8, invariant = TRUE, alpha = 0.5) {
  if (is.factor(matrix) || isS4(matrix)) refuse_data("pram", "matrix", "must be a table of probabilities")
  method("PRAM", environment())
}

# Several methods in order. Each argument is a list: a method, then roles as in protect().
steps <- function(...) {
  steps <- lapply(list(...), function(step) {
    if (!is.list(step) || inherits(step, "fcrm_method")) step <- list(step)
    check_method("steps", step[[1L]])
    arguments <- c("independent", "dependent", "identifiers", "unknown", "weight", "household", "unit", "time")
    roles <- step[-1L]
    names(roles) <- if (is.null(names(roles))) arguments[seq_along(roles)] else ifelse(nzchar(names(roles)), names(roles), "independent")
    roles <- do.call(step_roles, roles)
    if (is.null(roles$dependent)) roles$dependent <- method_keys(step[[1L]])
    list(step[[1L]], Filter(Negate(is.null), roles))
  })
  method_of_steps(steps)
}

# steps : a list of a method and its roles for each step.
method_of_steps <- function(steps) {
  structure(list(name = "Steps", call = "steps", parameters = list(steps = steps), shown = "steps"), class = "fcrm_method")
}

step_roles <- function(independent = NULL, dependent = NULL, identifiers = NULL, unknown = NULL, ...) {
  roles_of("steps", NULL, independent, dependent, identifiers, unknown, list(...))
}

# Columns of the roles of steps, or of one role.
step_columns <- function(method, role = NULL) {
  unlist(lapply(method$parameters$steps, function(step) {
    c(if (is.null(role)) method_keys(step[[1L]]), if (is.null(role)) step[[2L]] else step[[2L]][[role]])
  }), use.names = FALSE)
}

# `method` is a parameter here, so that the function needs a second name.
calibrated <- function(method, moments = TRUE, margins = "smooth", point_mass = NULL) {
  packed_method("Calibrated", environment())
}

# The constructor of a method; future has a function sequential().
constructor <- function(name) if (name == "Sequential") "sequential_trees" else tolower(name)

# A method from the arguments of its constructor. arguments : the constructor's environment.
method <- function(name, arguments) {
  word <- constructor(name)
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
  if (!any(shown) && length(shown)) shown[1L] <- !is.null(parameters[[1L]])
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
  if (x$name == "Steps") {
    return(paste0("steps(", paste(vapply(x$parameters$steps, function(step) format(step[[1L]]), ""), collapse = ", "), ")"))
  }
  settings <- vapply(x$parameters[x$shown], function(value) {
    if (inherits(value, "fcrm_method")) format(value) else paste(deparse(value), collapse = " ")
  }, "")
  paste0(x$call, "(", paste(names(settings), settings, sep = " = ", collapse = ", ", recycle0 = TRUE), ")")
}

print.fcrm_method <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
