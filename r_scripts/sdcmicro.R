# sdcMicro's routines as functions of data frames of numbers; they return data frames or one number.
# Columns must be called V1, V2, ... (sdcMicro pastes names into formulas). Source: the help of sdcMicro 5.8.0.

sdc_microaggregation <- function(data, method, aggr) {
  sdc_numbers(sdcMicro::microaggregation(data, method = method, aggr = aggr)$mx, data)
}

# P is a share of the records, although the help page says per cent; the seed is of sdcMicro's own generator.
sdc_rank_swap <- function(data, P, seed) {
  sdc_numbers(sdcMicro::rankSwap(data, P = P, seed = seed, TopPercent = 0, BottomPercent = 0), data)
}

# perc : largest difference of ranks of two swapped values, in per cent of the records.
sdc_argus_rank_swap <- function(data, perc) sdc_numbers(sdcMicro::argus_rankswap(data, perc = perc)$swapped, data)

# noise in per cent of each standard deviation; delta only for "correlated2".
sdc_add_noise <- function(data, method, noise, delta) {
  sdc_numbers(sdcMicro::addNoise(data, method = method, noise = noise, delta = delta)$xm, data)
}

# dependent, independent : column names. Returns the shuffled dependent columns.
sdc_shuffle <- function(data, dependent, independent, method) {
  sum_of <- function(columns) Reduce(function(a, b) call("+", a, b), lapply(columns, as.name))
  form <- eval(call("~", sum_of(dependent), sum_of(independent)))
  sdc_numbers(sdcMicro::shuffle(data, form = form, method = method)$shuffled, data[dependent])
}

# The signs of the eigenvectors that shuffle "ds" uses: of each vector's last component that is not 0. R's LAPACK determines
# them; sdcMicro computes the same matrix in the same steps, and so has the same signs.
sdc_shuffle_signs <- function(data, dependent, independent) {
  normal <- 2 * sin((pi * stats::cor(data, method = "spearman")) / 6)
  across <- normal[dependent, independent, drop = FALSE]
  inverse <- solve(normal[independent, independent])
  left <- normal[dependent, dependent] - across %*% inverse %*% t(across)
  vectors <- eigen(left, symmetric = TRUE)$vectors
  apply(vectors, 2, function(v) sign(v[max(which(abs(v) > 1e-6))]))
}

# The share, from 0 to 1, of records all of whose values lie within k sd of the protected ones.
sdc_risk <- function(data, protected, k) as.numeric(sdcMicro::dRisk(data, xm = protected, k = k))

# method : "IL1", "IL1s" or "eigen".
sdc_utility <- function(data, protected, method) {
  as.numeric(sdcMicro::dUtility(data, xm = protected, method = method))
}

# The number of records that agree with each record on every column; a missing value agrees with any value.
sdc_frequencies <- function(data) as.double(sdcMicro::freqCalc(data, keyVars = seq_along(data))$fk)

sdc_numbers <- function(values, like) {
  values <- as.data.frame(values)
  values[] <- lapply(values, as.double)
  if (ncol(values) == ncol(like)) names(values) <- names(like)
  values
}
