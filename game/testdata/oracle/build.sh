#!/bin/sh
# Builds the oracle: build.sh SOURCE PROGRAM
# SOURCE is a checkout of https://github.com/teeworlds/teeworlds at tag 0.7.5.
set -e
source=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/generated"
(
	cd "$source"
	python3 datasrc/compile.py network_header >"$work/src/generated/protocol.h"
	python3 datasrc/compile.py network_source >"$work/src/generated/protocol.cpp"
	python3 datasrc/compile.py server_content_header >"$work/src/generated/server_data.h"
	python3 datasrc/compile.py server_content_source >"$work/src/generated/server_data.cpp"
)
echo '#define GAME_NETVERSION_HASH "oracle"' >"$work/src/generated/nethash.cpp"
flags="-O2 -w -fno-strict-aliasing -I$work/src -I$source/src"
gcc $flags -c "$source/src/base/system.c" -o "$work/system.o"
n=0
for f in "$source"/src/game/server/*.cpp "$source"/src/game/server/*/*.cpp \
	"$source"/src/game/gamecore.cpp "$source"/src/game/collision.cpp "$source"/src/game/layers.cpp \
	"$source"/src/engine/shared/packer.cpp "$source"/src/engine/shared/compression.cpp \
	"$source"/src/engine/shared/memheap.cpp "$source"/src/engine/shared/console.cpp \
	"$source"/src/engine/shared/config.cpp "$source"/src/engine/shared/kernel.cpp \
	"$source"/src/engine/shared/linereader.cpp \
	"$work"/src/generated/protocol.cpp "$work"/src/generated/server_data.cpp "$here/oracle.cpp"; do
	n=$((n + 1))
	g++ $flags -std=gnu++11 -c "$f" -o "$work/$n.o"
done
g++ "$work"/*.o -o "$2" -lpthread
