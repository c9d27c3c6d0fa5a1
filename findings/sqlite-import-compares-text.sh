#!/bin/sh
# sqlite3's .import makes columns of type TEXT, so a comparison with a number compares texts: 10 > 9 is false.
# Seen with sqlite3 3.40.1 (Debian 12). Remedy: create the table with types first, or cast.
set -eu
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
printf 'n\n9\n10\n' > "$place/n.csv"
sqlite3 :memory: ".import --csv $place/n.csv t" 'select count(*) from t where n > 8' 'select count(*) from t where cast(n as int) > 8'
