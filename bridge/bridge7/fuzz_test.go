package bridge7

import (
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// FuzzReceiveSnapshot decodes snapshots with arbitrary items into views. Each item takes one byte
// for the type, two for the id, and four for each integer. An unknown type has three integers.
func FuzzReceiveSnapshot(f *testing.F) {
	v := newSnapshotReceiver()
	for i, r := range readCorpus(f, "tw16.snaps")[:30] {
		v.receive(f, &r)
		var b []byte
		for j := range v.next.Len() {
			k, ints := v.next.Item(j)
			b = append(b, byte(k.Type()), byte(k.ID()), byte(k.ID()>>8))
			for _, n := range ints {
				b = binary.LittleEndian.AppendUint32(b, uint32(n))
			}
		}
		f.Add(int32(i), b)
	}
	var o []byte
	for _, v := range demoSnapshotInts(demoPlayer("alice", 1, true)) {
		o = binary.LittleEndian.AppendUint32(o, uint32(v))
	}
	f.Add(int32(1), append([]byte{msg7.TypeDeClientInfo, 3, 0}, o...))
	_, col := bridgetest.NewWorld(f, "testbox", dm.Mode{}, nil)
	c := NewClientSide(nil, nil).(*clientSide)
	c.SetMap(col)
	_, side := newDemoHandler(NewDemoClientSide)
	inDemo := side.(*clientSide)
	f.Fuzz(func(t *testing.T, tick int32, data []byte) {
		var b snapshot.Builder
		for len(data) >= 3 {
			typ, id := int(data[0]), int(data[1])|int(data[2])<<8
			data = data[3:]
			n := 3
			if typ < len(msg7.Sizes) && msg7.Sizes[typ] != 0 {
				n = int(msg7.Sizes[typ])
			}
			if len(data) < 4*n {
				break
			}
			for i, slot := 0, b.Add(typ, id, n); i < len(slot); i++ {
				slot[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
			}
			data = data[4*n:]
		}
		var s snapshot.Snapshot
		b.Finish(&s)
		c.ReceiveSnapshot(tick, &s)
		bridgetest.CheckView(t, c)
		inDemo.ReceiveSnapshot(tick, &s)
		bridgetest.CheckView(t, inDemo)
	})
}

func demoSnapshotInts(o msg7.Object) []int32 {
	ints := make([]int32, o.ObjectSize())
	o.PutInts(ints)
	return ints
}
