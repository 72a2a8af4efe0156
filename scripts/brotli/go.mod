// A module of its own, so that the game does not depend on the library.
module github.com/teeyard/teeyard/scripts/brotli

go 1.26

require github.com/andybalholm/brotli v1.3.0
