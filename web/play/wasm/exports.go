//go:build wasip1

package main

import (
	"unsafe"

	"github.com/teeyard/teeyard/web/play/engine"
)

var (
	e   = engine.New()
	big []byte // for maps, which are larger than Shared.In
)

// version returns engine.Version.
//
//go:wasmexport version
func version() int32 { return engine.Version }

// shared returns the address of the engine.Shared.
//
//go:wasmexport shared
func shared() uint32 { return address(unsafe.Pointer(&e.Shared)) }

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

// room makes room for n bytes and returns the address, for addMap and useMap.
//
//go:wasmexport room
func room(n int32) uint32 {
	big = make([]byte, max(n, 1))
	return address(unsafe.Pointer(&big[0]))
}

// addMap takes a map: first its name and then its file, in the room. It returns 1 if the map is
// readable.
//
//go:wasmexport addMap
func addMap(nameLen, fileLen int32) int32 {
	b := big
	big = nil
	return done(e.AddMap(string(b[:nameLen]), b[nameLen:nameLen+fileLen]))
}

// useMap takes the file of the map that the engine waits for. It returns 1 if it was that map.
//
//go:wasmexport useMap
func useMap(ms float64, fileLen int32) int32 {
	b := big
	big = nil
	return done(e.UseMap(ms, b[:fileLen]))
}

// mapAddress returns the address of the file of the server's map, and mapSize its size: 0 before it
// is loaded.
//
//go:wasmexport mapAddress
func mapAddress() uint32 { return address(unsafe.Pointer(unsafe.SliceData(e.Map()))) }

//go:wasmexport mapSize
func mapSize() int32 { return int32(len(e.Map())) }

// connect connects as the player in the first n bytes of In. It returns 1 unless the player is
// invalid.
//
//go:wasmexport connect
func connect(ms float64, n int32) int32 { return done(e.Connect(ms, e.Shared.In[:n])) }

// feed processes the datagram in the first n bytes of In.
//
//go:wasmexport feed
func feed(ms float64, n int32) { e.Feed(ms, e.Shared.In[:n]) }

// frame is for each picture.
//
//go:wasmexport frame
func frame(ms float64) { e.Frame(ms) }

// act runs the action in the first n bytes of In.
//
//go:wasmexport act
func act(ms float64, n int32) { e.Do(ms, e.Shared.In[:n]) }

func done(err error) int32 {
	if err != nil {
		println(err.Error())
		return 0
	}
	return 1
}
