#!/bin/sh
# R reads 0x1002100000000012 from a CSV as a double, and write.csv writes the nearest one with all its digits, so
# nothing in the file shows that the number was rounded. Read with colClasses = c(state = "character").
# Seen with R 4.2.2 (Debian 12).
set -eu
Rscript --version
printf 'state,exact\n0x1002100000000012,1153502046746312722\n' |
    Rscript -e 'd <- read.csv(file("stdin"), colClasses = c(exact = "character")); write.csv(d, row.names = FALSE)'
