package differential

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// result counts what two servers had in common.
type result struct {
	ticks, same    int // rounds of all players, and the same in everything
	objects, alike int
	messages       int
	differences    []string // the first ones
	first          int32    // tick of the first difference after the start, -1 none
	kinds          map[string]int
}

// maxDifferences is how many are described.
const maxDifferences = 12

func compare(rec *record, ours [][]sight) result {
	r := result{first: -1, kinds: map[string]int{}}
	for player, theirs := range rec.seen {
		mine := map[int32]*sight{}
		for i := range ours[player] {
			mine[ours[player][i].tick] = &ours[player][i]
		}
		fresh := first(rec.rounds, theirs)
		for i := range theirs {
			s := &theirs[i]
			r.ticks++
			o := mine[s.tick]
			if o == nil {
				o = &sight{tick: s.tick}
			}
			if fresh[i] {
				a, b := *s, *o
				a.messages, b.messages = nil, nil
				s, o = &a, &b
			}
			d := differ(s, o, &r)
			if len(d) == 0 {
				r.same++
				continue
			}
			at := s.tick - rec.start
			if r.first < 0 || at < r.first {
				r.first = at
			}
			for _, text := range d {
				if len(r.differences) < maxDifferences {
					r.differences = append(r.differences, fmt.Sprintf("tick %d, player %d: %s", at, player, text))
				}
			}
		}
	}
	return r
}

// differ describes how a round of ours is not theirs.
func differ(theirs, ours *sight, r *result) []string {
	var out []string
	fault := func(kind, format string, args ...any) {
		r.kinds[kind]++
		out = append(out, kind+" "+fmt.Sprintf(format, args...))
	}
	i, j := 0, 0
	for i < len(theirs.items) || j < len(ours.items) {
		switch {
		case j == len(ours.items) || i < len(theirs.items) && theirs.items[i].key < ours.items[j].key:
			it := &theirs.items[i]
			fault(msg7.ObjectName(it.key.Type()), "%d: only theirs: %v", it.key.ID(), it.ints)
			r.objects++
			i++
		case i == len(theirs.items) || ours.items[j].key < theirs.items[i].key:
			it := &ours.items[j]
			fault(msg7.ObjectName(it.key.Type()), "%d: only ours: %v", it.key.ID(), it.ints)
			j++
		default:
			a, b := &theirs.items[i], &ours.items[j]
			r.objects++
			if slices.Equal(a.ints, b.ints) {
				r.alike++
			} else {
				fault(msg7.ObjectName(a.key.Type()), "%d: %s", a.key.ID(), fields(a, b))
			}
			i++
			j++
		}
	}
	r.messages += len(theirs.messages)
	if !slices.Equal(theirs.messages, ours.messages) {
		fault("messages", "theirs %s, ours %s", texts(theirs.messages), texts(ours.messages))
	}
	return out
}

// fields names the fields in which two objects differ.
func fields(theirs, ours *item) string {
	var b strings.Builder
	names := fieldNames[theirs.key.Type()]
	for i, v := range theirs.ints {
		if i < len(ours.ints) && ours.ints[i] == v {
			continue
		}
		name := fmt.Sprint(i)
		if i < len(names) {
			name = names[i]
		}
		mine := "none"
		if i < len(ours.ints) {
			mine = fmt.Sprint(ours.ints[i])
		}
		fmt.Fprintf(&b, "%s theirs %d ours %s; ", name, v, mine)
	}
	return b.String()
}

var fieldNames = map[int][]string{
	msg7.TypeCharacter:     strings.Fields("tick x y velx vely angle direction jumped hookedplayer hookstate hooktick hookx hooky hookdx hookdy health armor ammo weapon emote attacktick events"),
	msg7.TypeProjectile:    strings.Fields("x y velx vely type start"),
	msg7.TypeLaser:         strings.Fields("x y fromx fromy start"),
	msg7.TypePickup:        strings.Fields("x y type"),
	msg7.TypeGameData:      strings.Fields("start flags end"),
	msg7.TypePlayerInfo:    strings.Fields("flags score latency"),
	msg7.TypeSpectatorInfo: strings.Fields("mode id x y"),
	msg7.TypeEventDamage:   strings.Fields("x y id angle health armor self"),
}

func texts(messages []string) string {
	var out []string
	var d msg7.Decoder
	for _, m := range messages {
		decoded, err := d.Decode([]byte(m))
		if err != nil {
			out = append(out, fmt.Sprintf("%v %x", err, m))
			continue
		}
		out = append(out, fmt.Sprintf("%s%v", decoded.ID().Name(), decoded))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
