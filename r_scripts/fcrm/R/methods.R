# Protection methods: a name and parameters, which Python checks. The constructors are in generated.R.

# Guards of constructors: sdcMicro has functions microaggregation() and pram() for data.
refuse_data <- function(owner, name, rule) {
  stop_parameter(owner, name, paste0(rule, ": data are arguments of protect(), or of sdcMicro::", owner, "()"), "data")
}

refuse_data_as_k <- function(k) {
  if (!missing(k) && (is.data.frame(k) || is.matrix(k) || isS4(k))) refuse_data("microaggregation", "k", "must be a number")
}

refuse_data_as_matrix <- function(matrix) {
  if (is.factor(matrix) || isS4(matrix)) refuse_data("pram", "matrix", "must be a table of probabilities")
}

# Several methods in order. Each argument is a list: a method, then roles as in protect().
steps <- function(...) {
  steps <- lapply(list(...), function(step) {
    if (!is.list(step) || inherits(step, "fcrm_method")) step <- list(step)
    check_method("steps", step[[1L]])
    arguments <- c(ROLES, ROLE_VALUES)
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
    roles <- step[[2L]][setdiff(names(step[[2L]]), ROLE_VALUES)]
    c(if (is.null(role)) method_keys(step[[1L]]), if (is.null(role)) roles else roles[[role]])
  }), use.names = FALSE)
}

# The products that steps name.
step_products <- function(method) unlist(lapply(method$parameters$steps, function(step) step[[2L]]$product))

# The constructor of a method, by the name of its class in Python.
constructor <- function(name) CONSTRUCTORS[[name]]

# A method from the arguments of its constructor. arguments : the constructor's environment.
new_method <- function(name, arguments) {
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
  shown[!required] <- !mapply(identical, parameters[!required], lapply(defaults[!required], eval, topenv()))
  if (!any(shown) && length(shown)) shown[1L] <- !is.null(parameters[[1L]])
  structure(
    list(name = name, call = word, parameters = parameters, shown = names(defaults)[shown]),
    class = "fcrm_method"
  )
}

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
