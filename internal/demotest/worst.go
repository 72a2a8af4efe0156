package demotest

import (
	"hash/crc32"
	"math/rand/v2"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Worst is a kind of 0.6 demo that costs much work for its size.
type Worst int

const (
	// AllChange has 64 players and as many items as fit. All items change in every snapshot, and
	// every snapshot is a keyframe.
	AllChange Worst = iota
	// OneChanges has the same items, but only one changes from snapshot to snapshot. The demo is
	// small, but costs a reader as much work as AllChange.
	OneChanges
	// LargeMap has a map that takes up most of the file.
	LargeMap
)

// WorstKinds are all kinds of costly demos.
var WorstKinds = []Worst{AllChange, OneChanges, LargeMap}

// String returns the name.
func (k Worst) String() string {
	return [...]string{"all items change", "one item changes", "a large map"}[k]
}

// WorstDemo returns a demo of about size bytes, but not more. The same arguments return the same
// demo.
func WorstDemo(k Worst, size int) []byte {
	random := rand.New(rand.NewPCG(6, uint64(k)))
	h := demo.Header{NetVersion: msg6.NetVersion, MapName: "worst", Type: "server"}
	var mapData []byte
	if k == LargeMap {
		mapData = make([]byte, max(0, size-128<<10))
		for i := range mapData {
			mapData[i] = byte(random.Uint32())
		}
	}
	h.MapCRC = crc32.ChecksumIEEE(mapData)
	file := append(h.Append(make([]byte, 0, size), len(mapData)), mapData...)
	e := demo.NewEncoder(&h)
	var snap snapshot.Snapshot
	var chunk []byte
	for tick := int32(2); ; tick += 2 {
		if k != OneChanges || tick == 2 {
			worstSnapshot(&snap, random)
		} else {
			_, ints := snap.Item(snap.Len() - 1)
			ints[0] ^= 1
		}
		if k != OneChanges {
			e.Keyframe()
		}
		if chunk = e.AppendSnapshot(chunk[:0], tick, &snap); len(file)+len(chunk) > size {
			h.Length = int(tick) / demo.TickRate
			copy(file, h.Append(nil, len(mapData)))
			return file
		}
		file = append(file, chunk...)
	}
}

// worstSnapshot fills a snapshot with objects that 64 players can see, up to the size of a demo's
// chunk.
func worstSnapshot(to *snapshot.Snapshot, random *rand.Rand) {
	const most = 60 << 10 // in bytes
	var b snapshot.Builder
	add := func(typ, id, size int, fields ...int32) {
		to := b.Add(typ, id, size)
		for i := range to {
			to[i] = int32(random.IntN(1 << 6))
		}
		copy(to, fields)
	}
	add(msg6.TypeGameInfo, 0, msg6.SizeGameInfo)
	for id := range 64 {
		add(msg6.TypePlayerInfo, id, msg6.SizePlayerInfo, 0, int32(id), 0)
		add(msg6.TypeClientInfo, id, msg6.SizeClientInfo)
		add(msg6.TypeCharacter, id, msg6.SizeCharacter)
	}
	for id := range 700 {
		if 4*(6+1)*(id+1)+64*4*(5+17+22+3) > most {
			break
		}
		add(msg6.TypeProjectile, id, msg6.SizeProjectile)
	}
	b.Finish(to)
}
