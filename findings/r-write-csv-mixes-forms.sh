#!/bin/sh
# R reads 0x1000 from a CSV as a double, and an equal decimal column as an integer; write.csv then writes one as 1e+05
# and the other as 100000. Read with colClasses = c(state = "character").
# Seen with R 4.2.2 (Debian 12).
set -eu
Rscript --version
printf 'state,number\n0x0186a0,100000\n' | Rscript -e 'd <- read.csv(file("stdin")); str(d); write.csv(d, row.names = FALSE)'
