# The R side of r_bridge: Python calls R only through bridge_call.
# Arguments and results are raw vectors, strings and whole numbers. bytes.R of the R package must be sourced first.

# codes : texts of R files, evaluated in a new environment with access to attached packages, but not to the global
# environment. called : the name of a function there, or of an attached package. arguments : a plain list (see
# from_plain). state : NULL, a seed, or 626 integers, from which the call draws; R's own stream is restored afterwards.
# Returns, as a plain list: value; error, warnings and messages, as texts; interrupted; ended: whether the code called
# quit(), which is an error even if the code catches it; state after the call.
bridge_call <- function(codes, called, arguments, state) {
  warnings <- errors <- messages <- character(0)
  value <- list("nothing")
  interrupted <- ended <- FALSE
  after <- NULL
  no_quit <- function(...) {
    ended <<- TRUE
    stop("the code called quit(), which would end the program that runs it", call. = FALSE)
  }
  restore_quit <- bridge_replace(list(q = no_quit, quit = no_quit))
  restore_session <- bridge_surroundings()
  on.exit({
    restore_quit()
    restore_session()
  })
  state <- from_plain(state)
  if (!is.null(state)) {
    own <- globalenv()$.Random.seed
    on.exit(bridge_set_stream(own), add = TRUE)
  }
  tryCatch(
    withCallingHandlers(
      {
        environment <- bridge_source(codes)
        f <- bridge_function(called, environment)
        bridge_start_stream(state)
        result <- bridge_apply(f, from_plain(arguments))
        if (!is.null(state)) after <- globalenv()$.Random.seed
        value <- to_plain(result)
      },
      warning = function(w) {
        warnings <<- c(warnings, conditionMessage(w))
        invokeRestart("muffleWarning")
      },
      message = function(m) {
        messages <<- c(messages, sub("\n$", "", conditionMessage(m)))
        invokeRestart("muffleMessage")
      }
    ),
    error = function(e) errors <<- conditionMessage(e),
    interrupt = function(i) interrupted <<- TRUE
  )
  outcome <- list(
    error = errors, warnings = warnings, messages = messages, interrupted = interrupted, ended = ended, state = after
  )
  list("list", as.list(c("value", names(outcome))), c(list(value), lapply(unname(outcome), to_plain)))
}

# Records options, kinds of generators, working directory, environment variables and attached packages. Returns a function that
# restores them, so that a call does not influence the next one. A namespace stays loaded, and its .onLoad does not run
# again. So what namespaces set when they were loaded stays too, and so do options added in a call that loaded one.
bridge_surroundings <- function() {
  own <- list(options = options(), kinds = RNGkind(), folder = getwd(), variables = bridge_variables(), attached = search())
  loading <- bridge_record_loading()
  function() {
    loaded <- loading$finish()
    for (name in setdiff(search(), own$attached)) detach(name, character.only = TRUE)
    added <- setdiff(names(options()), names(own$options))
    removed <- if (loaded$any) character(0) else added
    options(c(own$options, setNames(vector("list", length(removed)), removed)))
    options(loaded$options)
    if (!identical(RNGkind(), own$kinds)) suppressWarnings(do.call(RNGkind, as.list(own$kinds)))
    if (!is.null(own$folder)) setwd(own$folder)
    bridge_set_variables(bridge_updated(own$variables, loaded$variables))
  }
}

# Replaces loadNamespace() for all callers by itself with a record. Returns a list: finish() restores it and returns
# whether a namespace was loaded, and the options and environment variables that were changed while one was loaded.
bridge_record_loading <- function() {
  own <- baseenv()$loadNamespace
  before_call <- loadedNamespaces()
  changed_options <- changed_variables <- list()
  restore <- bridge_replace(list(loadNamespace = function(...) {
    before <- list(options = options(), variables = bridge_variables())
    on.exit({
      changed_options <<- bridge_updated(changed_options, bridge_changed(before$options, options()))
      changed_variables <<- bridge_updated(changed_variables, bridge_changed(before$variables, bridge_variables()))
    })
    own(...)
  }))
  list(finish = function() {
    restore()
    list(
      any = length(setdiff(loadedNamespaces(), before_call)) > 0,
      options = changed_options,
      variables = changed_variables
    )
  })
}

# The items of `after` that `before` does not have, or has with another value.
bridge_changed <- function(before, after) {
  after[!vapply(names(after), function(name) identical(before[[name]], after[[name]]), NA)]
}

bridge_updated <- function(items, new) {
  items[names(new)] <- new
  items
}

bridge_variables <- function() as.list(unclass(Sys.getenv()))

# Sets the environment variables to these, a named list, and removes all others.
bridge_set_variables <- function(variables) {
  now <- bridge_variables()
  Sys.unsetenv(setdiff(names(now), names(variables)))
  changed <- bridge_changed(now, variables)
  if (length(changed)) do.call(Sys.setenv, changed)
}

# Replaces functions of R's base package, by name, for all callers. Returns a function that restores them.
bridge_replace <- function(functions) {
  own <- mget(names(functions), envir = baseenv())
  put <- function(functions) {
    for (name in names(functions)) {
      unlockBinding(name, baseenv())
      assign(name, functions[[name]], envir = baseenv())
      lockBinding(name, baseenv())
    }
  }
  put(functions)
  function() put(own)
}

# A file may attach packages: the parent environment is updated before each expression, and at the end.
bridge_source <- function(codes) {
  environment <- new.env(parent = parent.env(globalenv()))
  for (code in codes) {
    for (expression in parse(text = code, keep.source = FALSE, encoding = "UTF-8")) {
      parent.env(environment) <- parent.env(globalenv())
      eval(expression, environment)
    }
  }
  parent.env(environment) <- parent.env(globalenv())
  environment
}

bridge_function <- function(called, environment) {
  if (!exists(called, envir = environment, mode = "function")) {
    stop("the R code must define a function called `", called, "`", call. = FALSE)
  }
  get(called, envir = environment, mode = "function")
}

# The arguments are variables of the call, so that a call with a large table is never deparsed with its data.
bridge_apply <- function(f, arguments) {
  variables <- sprintf("argument%d", seq_along(arguments))
  environment <- list2env(setNames(unname(as.list(arguments)), variables), envir = new.env(parent = globalenv()))
  environment$called <- f
  eval(as.call(c(list(as.name("called")), setNames(lapply(variables, as.name), names(arguments)))), environment)
}

bridge_start_stream <- function(state) {
  if (length(state) == 1) {
    set.seed(state, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  } else if (!is.null(state)) {
    bridge_set_stream(state)
  }
}

bridge_set_stream <- function(state) {
  if (!is.null(state)) {
    assign(".Random.seed", state, envir = globalenv())
  } else if (exists(".Random.seed", envir = globalenv(), inherits = FALSE)) {
    rm(".Random.seed", envir = globalenv())
  }
}

bridge_frame <- function(x) structure(list(value = x), row.names = .set_row_names(length(x)), class = "data.frame")

# A table without columns needs its number of records.
bridge_table <- function(df, n) {
  if (length(df) == 0) attr(df, "row.names") <- .set_row_names(n)
  df
}

to_plain <- function(x) {
  if (is.null(x)) return(list("nothing"))
  if (is.data.frame(x)) return(list("frame", bytes_from_frame(x), nrow(x)))
  if (is.list(x)) return(list("list", as.list(enc2utf8(as.character(names(x)))), lapply(unname(x), to_plain)))
  if (!is.atomic(x)) stop("a value of this class cannot be passed to Python: ", toString(class(x)), call. = FALSE)
  dims <- dim(x)
  if (!is.null(dims)) return(list("array", bytes_from_frame(bridge_frame(as.vector(x)))[[1]], dims))
  names(x) <- NULL
  list("vector", bytes_from_frame(bridge_frame(x))[[1]])
}

from_plain <- function(plain) {
  switch(plain[[1]],
    nothing = NULL,
    vector = frame_from_bytes(list(plain[[2]]))[[1]],
    array = array(frame_from_bytes(list(plain[[2]]))[[1]], unlist(plain[[3]])),
    frame = bridge_table(frame_from_bytes(plain[[2]]), plain[[3]]),
    list = {
      items <- lapply(plain[[3]], from_plain)
      if (length(plain[[2]])) setNames(items, unlist(plain[[2]])) else items
    }
  )
}
