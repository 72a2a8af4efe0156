package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
)

// happenings counts how often each thing happened in a match.
type happenings map[string]int

// count adds a player's observations.
func (n happenings) count(seen []observation) {
	var types, weapons, states, views [64]int
	var carriers, drops [2]int32
	points := int32(0)
	for i := range seen {
		o := &seen[i]
		wereCarriers, dropped, hadPoints := carriers, drops, points
		points = 0
		for _, it := range o.items {
			types[it.key.Type()]++
			switch it.key.Type() {
			case msg7.TypeCharacter:
				const weapon = 18
				weapons[it.ints[weapon]]++
			case msg7.TypeGameData:
				const state = 1
				states[it.ints[state]]++
			case msg7.TypeSpectatorInfo:
				const mode = 0
				views[it.ints[mode]]++
			case msg7.TypeGameDataFlag:
				copy(carriers[:], it.ints[:2])
				copy(drops[:], it.ints[2:])
			case msg7.TypePlayerInfo:
				const score = 1
				points += it.ints[score]
			}
		}
		for team := range carriers {
			if wereCarriers[team] == int32(msg7.FlagTaken) && carriers[team] == int32(msg7.FlagAtStand) && points == hadPoints {
				n.countReturn(o.tick - dropped[team]) // no player scored for it
			}
		}
		for _, m := range o.messages {
			n.countMessage(m)
		}
	}
	for i := range types {
		n.add(types[i], "%s", msg7.ObjectName(i))
		n.add(weapons[i], "weapon %v", msg7.Weapon(i))
		n.add(states[i], "state %d", i)
		n.add(views[i], "view %d", i)
	}
}

func (n happenings) add(count int, format string, args ...any) {
	if count > 0 {
		n[fmt.Sprintf(format, args...)] += count
	}
}

// countReturn counts a flag that returned the given number of ticks after it was dropped.
func (n happenings) countReturn(ticks int32) {
	if ticks > 1500 {
		n["late flag"]++
	} else {
		n["flag in a death tile"]++
	}
}

func (n happenings) countMessage(b string) {
	var u packer.Unpacker
	u.Reset([]byte(b))
	var kill msg7.SvKillMsg
	var game msg7.SvGameMsg
	var info msg7.SvGameInfo
	switch id := msg7.ID(u.Int()); {
	case id == msg7.IDSvKillMsg && kill.Unpack(&u) == nil:
		n[fmt.Sprint("kill ", kill.ModeSpecial)]++
	case id == msg7.IDSvGameMsg && game.Unpack(&u) == nil:
		n[game.Kind.String()]++
		if game.Kind == msg7.GameMsgCTFGrab || game.Kind == msg7.GameMsgCTFCapture {
			n[fmt.Sprint(game.Kind, " ", game.Params[0])]++
		}
	case id == msg7.IDSvGameInfo && info.Unpack(&u) == nil:
		n[fmt.Sprintf("match %d of %d", info.MatchCurrent, info.MatchNum)]++
	}
}

// summary returns how often each thing happened, in the first player's view.
func summary(seen [][]observation) string {
	n := happenings{}
	n.count(seen[0])
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, "%s: %d, ", name, n[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
