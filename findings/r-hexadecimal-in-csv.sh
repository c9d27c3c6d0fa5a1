#!/bin/sh
# R reads 0x1002100000000012 from a CSV as a double, and write.csv writes the nearest one with all its digits: nothing
# in the file shows that the number was rounded. It writes 0x0186a0 as 1e+05, and an equal decimal column as 100000,
# which is an integer. Read with colClasses = c(state = "character").
# Seen with R 4.2.2 of Debian 12, amd64, which this script unpacks in a temporary folder. Fails if that changes.
set -eu
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
cd "$place"
packages='r-base-core=4.2.2.20221110-2 libblas3=3.11.0-2 liblapack3=3.11.0-2 libgfortran5 libquadmath0 libtirpc3
libicu72 libtcl8.6 libtk8.6 libreadline8 libgomp1'
apt-get download -qq $packages
for package in *.deb; do dpkg -x "$package" .; done
export R_HOME=$place/usr/lib/R
libraries=$place/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$R_HOME/lib:$libraries:$libraries/blas:$libraries/lapack
export R_DEFAULT_PACKAGES=utils
printf 'state,number\n0x1002100000000012,1153502046746312722\n0x0186a0,100000\n' > both.csv
printf 'state,number\n0x0186a0,100000\n' > small.csv
cat > seen.R <<'R'
read <- function(file, ...) write.csv(read.csv(file, ...), row.names = FALSE)
read("both.csv", colClasses = c(number = "character"))
read("small.csv")
R
usr/lib/R/bin/exec/R --vanilla --no-echo -f seen.R > seen
cat > expected <<'S'
"state","number"
1153502046746312704,"1153502046746312722"
1e+05,"100000"
"state","number"
1e+05,100000
S
diff expected seen && cat seen
