// Command wasm exports package engine to the page that plays. scripts/build-play compiles it for
// WebAssembly; elsewhere it does nothing.
package main

func main() {}
