package bridge7

import (
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// FuzzLift makes views of snapshots of any items: per item a byte for the type,
// two for the id, and four for each integer that the type has (three, if the table
// does not know it).
func FuzzLift(f *testing.F) {
	v := newViewer()
	for i, r := range corpus(f, "tw16.snaps")[:30] {
		v.take(f, &r)
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
	file, _ := maps.Find("testbox")
	m, err := twmap.Parse(file.Data)
	if err != nil {
		f.Fatal(err)
	}
	g := m.GameLayer()
	col, err := physics.NewCollision(g.Width, g.Height, g.Indices())
	if err != nil {
		f.Fatal(err)
	}
	l := NewLift()
	l.SetMap(col)
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
		view := l.ReceiveSnapshot(tick, &s)
		for i := range view.Characters {
			if c := &view.Characters[i]; c.Player < 0 || c.Player >= game.MaxPlayers || c.Weapon >= game.NumWeapons || c.HookedPlayer >= game.MaxPlayers {
				t.Errorf("a tee has %+v", c)
			}
			l.CoreState(&view.Characters[i])
		}
		for i := range view.Players {
			if p := &view.Players[i]; p.ID < 0 || p.ID >= game.MaxPlayers || p.SpectatorID >= game.MaxPlayers {
				t.Errorf("a player has %+v", p)
			}
		}
		for _, e := range l.Effects() {
			if e.Player >= game.MaxPlayers || e.Sound > game.SoundMenu {
				t.Errorf("an effect has %+v", e)
			}
		}
	})
}
