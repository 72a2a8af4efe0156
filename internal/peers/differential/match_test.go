package differential

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// matchConfig is what two servers are to play.
type matchConfig struct {
	Map      string
	MapFile  []byte // nil: comes with one of the servers, or is the pit
	Players  int
	Ticks    int
	Seed     uint64
	Settings []string
	behavior behavior
}

// match is a match on the original, as its clients sent and saw it.
type match struct {
	Config matchConfig
	Start  int32 // tick after which the original ran the restart that begins the match
	// Inputs is how many inputs each player sent before the match. The servers keep them
	// in a ring of 200, and where it ends decides which of two inputs counts that came
	// too late for their ticks.
	Inputs []int
	Steps  []step
	Rounds []int32    // ticks of the snapshots after the restart
	Ticks  [][]int32  // of them those that each player got
	Hashes [][]uint32 // of what each player saw in those

	seen [][]observation // by player, nil if the match was loaded
}

// stepKind is what a step does.
type stepKind int

const (
	stepSend  stepKind = iota // sends messages and an input
	stepLeave                 // closes the connection
	stepEnter                 // connects again and enters the game, all between two ticks
)

// step is what a player sends in one datagram.
type step struct {
	Player   int
	Kind     stepKind
	Tick     int32 // after which the server took it: its effects come before the next
	Intended int32 // tick that the input is for
	Input    msg7.PlayerInput
	Messages [][]byte // vital, with their ids

	order int // in which steps were sent
}

// toInput converts an input of a message to one of a client.
func toInput(in msg7.PlayerInput) game.Input {
	return game.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		Flags: game.PlayerFlags(in.PlayerFlags), WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}

// respawnTicks is how many ticks after a restart the players appear. Until then they look
// at where they were before, which is not compared.
const respawnTicks = 25

// observation is what a player saw in one round: a snapshot and the game messages since
// the one before.
type observation struct {
	tick     int32
	items    []item
	messages []string // with their ids
}

type item struct {
	key  snapshot.Key
	ints []int32
}

// find returns the integers of an item, nil if there is none.
func (o *observation) find(typ, id int) []int32 {
	key := snapshot.MakeKey(typ, id)
	if i := slices.IndexFunc(o.items, func(it item) bool { return it.key == key }); i >= 0 {
		return o.items[i].ints
	}
	return nil
}

// hash returns a hash of everything in an observation.
func (o *observation) hash() uint32 {
	var b []byte
	add := func(v int32) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	add(o.tick)
	for i := range o.items {
		add(int32(o.items[i].key))
		for _, v := range o.items[i].ints {
			add(v)
		}
	}
	for _, m := range o.messages {
		add(int32(len(m)))
		b = append(b, m...)
	}
	h := fnv.New32a()
	h.Write(b)
	return h.Sum32()
}

// observer is a client that records what it sees.
type observer struct {
	*client.Session
	decoder         msg7.Decoder
	seen            []observation
	pending         []string // messages since the last snapshot
	loggedIn        bool     // to the remote console
	entered         bool     // the server answered ENTERGAME
	inputs          int      // sent
	joinedAtNumSeen int      // length of seen when it joined again
}

// sessionConfig returns the configuration of player i on either server.
func (o *observer) sessionConfig(i int) client.SessionConfig {
	return client.SessionConfig{
		Name: fmt.Sprintf("player%d", i), ManualInput: true, HasMap: func(*bridge.MapChange) bool { return true },
		OnMessage: o.recordMessage, OnSnapshot: o.recordSnapshot,
	}
}

func (o *observer) recordMessage(payload []byte, vital bool) {
	m, err := o.decoder.Decode(payload)
	if err != nil || !vital {
		return
	}
	switch m.(type) {
	case *msg7.RconAuthOn:
		o.loggedIn = true
	case *msg7.ServerInfo:
		o.entered = true
	}
	if !m.ID().System() {
		o.pending = append(o.pending, string(m.Append(nil)))
	}
}

func (o *observer) recordSnapshot(tick int32, s *snapshot.Snapshot) {
	now := observation{tick: tick, items: make([]item, s.Len()), messages: o.pending}
	for i := range now.items {
		key, ints := s.Item(i)
		now.items[i] = item{key, slices.Clone(ints)}
	}
	o.seen = append(o.seen, now)
	o.pending = nil
}

// since returns what was seen after a tick.
func (o *observer) since(tick int32) []observation {
	i := slices.IndexFunc(o.seen, func(s observation) bool { return s.tick > tick })
	if i < 0 {
		return nil
	}
	return o.seen[i:]
}

func ticksOf(seen []observation) []int32 {
	ticks := make([]int32, len(seen))
	for i := range seen {
		ticks[i] = seen[i].tick
	}
	return ticks
}

// align returns what was seen in the given ticks, in a form that can be compared. Without
// the round before, which a newcomer does not have on both servers, there are no messages:
// they came since an earlier round.
func (m *match) align(ticks []int32, seen []observation) []observation {
	before := make(map[int32]int32, len(m.Rounds))
	for i := 1; i < len(m.Rounds); i++ {
		before[m.Rounds[i]] = m.Rounds[i-1]
	}
	aligned := make([]observation, len(ticks))
	for i, tick := range ticks {
		aligned[i].tick = tick
		if at, ok := slices.BinarySearchFunc(seen, tick, func(o observation, tick int32) int { return int(o.tick - tick) }); ok {
			aligned[i] = seen[at]
		}
		if i > 0 && before[tick] != ticks[i-1] {
			aligned[i].messages = nil
		}
	}
	return aligned
}

// hashes returns the hashes of what a player saw.
func (m *match) hashes(player int, seen []observation) []uint32 {
	hashes := make([]uint32, len(m.Ticks[player]))
	for i, o := range m.align(m.Ticks[player], seen) {
		hashes[i] = o.hash()
	}
	return hashes
}

// save writes a match that was played on the original to a file, with hashes instead of
// what was seen.
func (m *match) save(path string) error {
	m.Config.MapFile, _ = mapFile(m.Config.Map)
	m.Hashes = nil
	for i, seen := range m.seen {
		m.Hashes = append(m.Hashes, m.hashes(i, seen))
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(m); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func loadMatch(path string) (*match, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	m := new(match)
	return m, gob.NewDecoder(io.LimitReader(z, 64<<20)).Decode(m)
}
