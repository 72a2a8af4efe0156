package differential

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// setup is what two servers are to play.
type setup struct {
	mapName  string
	mapFile  []byte // nil: comes with one of the servers, or is the pit
	players  int
	ticks    int
	seed     uint64
	settings []string
	style
}

// action is what a step does.
type action int

const (
	// act sends messages and an input.
	act action = iota
	// leave closes the connection.
	leave
	// enter connects again and goes through to the game, all between two ticks.
	enter
)

// step is what a player sends in one datagram: messages and an input.
type step struct {
	player int
	action action
	// window is the tick after which the server took it: all that has a direct
	// effect happens between this tick and the next.
	window   int32
	intended int32
	order    int // in which steps were sent
	input    msg7.PlayerInput
	messages [][]byte // with their ids, vital
}

// wish is an input as a session takes it.
func wish(in msg7.PlayerInput) game.Input {
	return game.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		Flags: game.PlayerFlags(in.PlayerFlags), WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}

// record is a match as its clients saw it.
type record struct {
	setup
	start int32 // window of the restart that begins the match
	// inputs is how many inputs each player sent before. The servers keep them
	// in a ring of 200, and where it ends decides which of two inputs counts
	// that came too late for their ticks.
	inputs []int
	steps  []step
	// rounds are the ticks after the restart of which there were snapshots.
	rounds []int32
	seen   [][]sight // by player
}

// respawn is how many ticks after a restart the players appear. Until then they
// look at where they were before, which was not yet compared.
const respawn = 25

// sight is what a player saw in one round: a snapshot and what was said since
// the one before.
type sight struct {
	tick     int32
	items    []item
	messages []string // game messages, with their ids
}

type item struct {
	key  snapshot.Key
	ints []int32
}

// watch collects what one client sees.
type watch struct {
	dec     msg7.Decoder
	seen    []sight
	pending []string
}

func (w *watch) chunk(payload []byte, vital bool) {
	if m, err := w.dec.Decode(payload); err == nil && vital && !m.ID().System() {
		w.pending = append(w.pending, string(m.Append(nil)))
	}
}

func (w *watch) snapshot(tick int32, s *snapshot.Snapshot) {
	now := sight{tick: tick, items: make([]item, s.Len()), messages: w.pending}
	all := make([]int32, 0, s.NumInts())
	for i := range now.items {
		key, ints := s.Item(i)
		n := len(all)
		all = append(all, ints...)
		now.items[i] = item{key, all[n:len(all):len(all)]}
	}
	w.seen = append(w.seen, now)
	w.pending = nil
}

// since returns what was seen after a tick.
func (w *watch) since(tick int32) []sight {
	for i := range w.seen {
		if w.seen[i].tick > tick {
			return w.seen[i:]
		}
	}
	return nil
}

// until forgets what was seen after a tick: some have seen one more than others.
func (w *watch) until(tick int32) {
	for n := len(w.seen); n > 0 && w.seen[n-1].tick > tick; n-- {
		w.seen = w.seen[:n-1]
	}
}

// first tells, for each round a player saw, whether it did not see the one
// before. The servers send the first snapshots to a newcomer at other times, so
// what was said until then does not compare.
func first(rounds []int32, seen []sight) []bool {
	before := make(map[int32]int32, len(rounds))
	for i := 1; i < len(rounds); i++ {
		before[rounds[i]] = rounds[i-1]
	}
	out := make([]bool, len(seen))
	for i := 1; i < len(seen); i++ {
		out[i] = before[seen[i].tick] != seen[i-1].tick
	}
	return out
}

// find returns an object of a snapshot, nil if there is none.
func (s *sight) find(typ, id int) []int32 {
	key := snapshot.MakeKey(typ, id)
	for i := range s.items {
		if s.items[i].key == key {
			return s.items[i].ints
		}
	}
	return nil
}
