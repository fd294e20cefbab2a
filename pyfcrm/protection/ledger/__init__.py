"""The release ledger: a private register of earlier releases, against which the next one of the same records is checked.

Values are kept as HMACs, whose key is in a second file. Whoever has both files can test guesses at the values: the key file is as
private as the data.
"""
