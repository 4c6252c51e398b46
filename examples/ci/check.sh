#!/bin/sh
# Checks the programs below a directory, in any CI: exit status 0 if they are formatted and have neither errors nor
# warnings.
set -eu
cd "${1:-.}"
mclc fmt --check --diff
mclc check --deny warnings
