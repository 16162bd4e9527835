# What the scripts share. Source it from a script of this folder; it ends in the package's folder.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$(basename "$0"): $*"
  exit 1
}

# Installs the Debian or Ubuntu packages that are missing. Calls apt only where one is.
need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    say "This system has no dpkg. Where the build fails, install what these are called here: $*"
    return
  fi
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "needs ${missing[*]}: run 'apt-get install ${missing[*]}' as root"
    root=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${root[@]}" apt-get update -qq >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# The libraries that the package links.
need_libraries() {
  need_packages zlib1g-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev pkg-config
}

# Puts a Swift toolchain of 6.3 or later on the path, or says how to get one.
need_swift() {
  local folder version
  if ! command -v swift >/dev/null; then
    for folder in "${SWIFTLY_BIN_DIR:-$HOME/.local/share/swiftly/bin}" /opt/swift*/usr/bin \
      /usr/share/swift/usr/bin /usr/local/swift/usr/bin; do
      if [ -x "$folder/swift" ]; then
        export PATH="$folder:$PATH"
        break
      fi
    done
  fi
  command -v swift >/dev/null ||
    die "needs Swift 6.3: https://www.swift.org/install/linux (then put it on the PATH)"
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
  [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -n 1)" = 6.3 ] ||
    die "needs Swift 6.3, and this is ${version:-unknown}: https://www.swift.org/install/linux"
}
