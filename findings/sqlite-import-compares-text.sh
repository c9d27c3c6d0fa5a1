#!/bin/sh
# sqlite3's .import makes columns of type TEXT, so a comparison with a number compares texts: 10 > 8 is false.
# Remedy: create the table with types first, or cast.
# Seen with sqlite3 3.40.1 of Debian 12, which this script unpacks in a temporary folder. Fails if that changes.
set -eu
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -qq sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 libreadline8
for package in *.deb; do dpkg -x "$package" .; done
printf 'n\n9\n10\n' > n.csv
seen=$(LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) usr/bin/sqlite3 :memory: ".import --csv n.csv t" \
    'select count(*) from t where n > 8' 'select count(*) from t where cast(n as int) > 8' | paste -s -d ' ')
echo "$seen"
[ "$seen" = "1 2" ]
