package bridge

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ItemTypes are the numbers that a version gives to the snapshot items whose integers
// are the same in all versions.
type ItemTypes struct {
	Projectile, Laser, Flag                   int
	Explosion, Spawn, HammerHit, Death, Sound int
}

// SharedItems are the items of a round of snapshots that are the same for all clients
// that see them, such as pickups and projectiles. They are encoded once. The zero value is empty.
type SharedItems struct {
	items    []sharedItem
	ints     []int32
	switched bool // there are items with a switch
}

type sharedItem struct {
	typ, id uint16
	offset  uint32 // of its integers in SharedItems.ints
	size    uint16 // number of its integers
	global  bool   // seen from everywhere
	swtch   uint8  // of a DDRace map, with which it is seen; 0 for none
	without bool   // it is seen if the switch is off
	pos     vec.Vec2
	pos2    vec.Vec2 // the other end of a beam, else pos
	notFor  game.PlayerMask
	ref     snapshot.SharedRef
}

func itemKey(typ, id uint16) uint32 { return uint32(typ)<<16 | uint32(id) }

// Reset removes all items.
func (s *SharedItems) Reset() { s.items, s.ints, s.switched = s.items[:0], s.ints[:0], false }

// AddGlobal adds an item that everybody sees. It returns its integers, all 0, which must
// be written before the next call.
func (s *SharedItems) AddGlobal(typ, id, size int) []int32 {
	offset := len(s.ints)
	for range size {
		s.ints = append(s.ints, 0)
	}
	s.items = append(s.items, sharedItem{typ: uint16(typ), id: uint16(id), offset: uint32(offset), size: uint16(size), global: true})
	return s.ints[offset : offset+size]
}

// AddNear is like AddGlobal for an item that is seen by those who are near pos.
func (s *SharedItems) AddNear(typ, id, size int, pos vec.Vec2) []int32 {
	return s.AddBeam(typ, id, size, pos, pos)
}

// AddBeam is like AddGlobal for an item that is seen by those who are near one of its
// ends.
func (s *SharedItems) AddBeam(typ, id, size int, pos, pos2 vec.Vec2) []int32 {
	ints := s.AddGlobal(typ, id, size)
	it := &s.items[len(s.items)-1]
	it.global, it.pos, it.pos2 = false, pos, pos2
	return ints
}

// HideLast hides the item that was added last from some players.
func (s *SharedItems) HideLast(notFor game.PlayerMask) { s.items[len(s.items)-1].notFor = notFor }

// HideLastBy hides the item that was added last from those for whom its switch is off.
func (s *SharedItems) HideLastBy(e game.MapEntity) {
	s.items[len(s.items)-1].swtch = e.Switch
	s.switched = s.switched || e.Switch != 0
}

// ShowLastWithout shows the item that was added last only to those for whom its switch is off.
func (s *SharedItems) ShowLastWithout(e game.MapEntity) {
	s.HideLastBy(e)
	s.items[len(s.items)-1].without = true
}

// BlinkLast has the item that was added last, of a map's entity, blink for those for whom its switch is off. That is
// how DDNet-Server shows it to clients that know nothing of switches.
func (s *SharedItems) BlinkLast(e game.MapEntity, explosive bool, tick int32) {
	period := int32(11)
	switch {
	case e.Kind == game.MapProjectile && explosive:
		period = 6
	case e.Kind == game.MapProjectile:
		period = 20
	}
	if e.Switch != 0 && tick%game.TickRate%period == 0 {
		s.HideLastBy(e)
	}
}

// AddEntities adds the projectiles, lasers and flags of a frame.
func (s *SharedItems) AddEntities(f *game.Frame, types *ItemTypes) {
	for i := range f.Projectiles {
		p := &f.Projectiles[i]
		copy(s.AddNear(types.Projectile, int(p.ID), 6, p.Pos), []int32{p.X, p.Y, p.VelX, p.VelY, int32(p.Weapon), p.StartTick})
		s.HideLast(p.NotFor)
		s.BlinkLast(p.Entity, p.Flags&game.ProjectileExplosive != 0, f.Tick)
	}
	for i := range f.Lasers {
		l := &f.Lasers[i]
		copy(s.AddBeam(types.Laser, int(l.ID), 5, l.Pos, l.From), []int32{l.X, l.Y, l.FromX, l.FromY, l.StartTick})
		s.HideLast(l.NotFor)
		switch {
		case l.Entity.Switch == 0:
		case l.Entity.Kind == game.MapDoor, l.Entity.Kind == game.MapLight:
			s.HideLastBy(l.Entity)
			if l.Entity.Kind == game.MapLight && f.Tick%game.TickRate%6 != 0 {
				break
			}
			copy(s.AddNear(types.Laser, int(l.ID), 5, l.Pos), []int32{l.X, l.Y, l.X, l.Y, l.StartTick}) // off it is a point
			s.HideLast(l.NotFor)
			s.ShowLastWithout(l.Entity)
		default:
			s.BlinkLast(l.Entity, false, f.Tick)
		}
	}
	s.AddFlags(f, types)
}

// AddFlags adds the flags of a frame.
func (s *SharedItems) AddFlags(f *game.Frame, types *ItemTypes) {
	for i := range f.Flags {
		g := &f.Flags[i]
		copy(s.AddNear(types.Flag, int(g.Team), 3, g.Pos), []int32{g.X, g.Y, int32(g.Team)})
	}
}

// Sort sorts the items by type and id once, so that the snapshots need no sorting.
func (s *SharedItems) Sort() {
	slices.SortFunc(s.items, func(a, b sharedItem) int { return cmp.Compare(itemKey(a.typ, a.id), itemKey(b.typ, b.id)) })
}

// AppendVisible adds the items that the view shows to b, as far as it has room.
func (s *SharedItems) AppendVisible(b *snapshot.Builder, v *game.View) {
	switches := s.switches(v)
	for i := range s.items {
		if it := &s.items[i]; it.isVisible(v, switches) {
			s.append(b, it)
		}
	}
}

// AppendByPriority is AppendVisible for one of the priorities. All of them add
// the same.
func (s *SharedItems) AppendByPriority(b *snapshot.Builder, v *game.View, types *ItemTypes, priority int) {
	switches := s.switches(v)
	for i := range s.items {
		if it := &s.items[i]; types.priority(it) == priority && it.isVisible(v, switches) {
			s.append(b, it)
		}
	}
}

// The priorities of the shared items in a snapshot that has no room for all. Players and
// tees come after the first, effects after the last.
const (
	PriorityMatch = iota // the state of the match, and the flags
	PriorityProjectiles
	PriorityLasers
	PriorityPickups
)

func (t *ItemTypes) priority(it *sharedItem) int {
	switch {
	case it.global || int(it.typ) == t.Flag:
		return PriorityMatch
	case int(it.typ) == t.Projectile:
		return PriorityProjectiles
	case int(it.typ) == t.Laser:
		return PriorityLasers
	}
	return PriorityPickups
}

// Size returns the numbers of items and of their integers.
func (s *SharedItems) Size() (items, ints int) { return len(s.items), len(s.ints) }

func (s *SharedItems) append(b *snapshot.Builder, it *sharedItem) {
	b.AddShared(&it.ref, int(it.typ), int(it.id), s.ints[it.offset:it.offset+uint32(it.size)])
}

// switches returns the switches of the view, if there are items with one.
func (s *SharedItems) switches(v *game.View) *game.SwitchState {
	if !s.switched {
		return nil
	}
	return v.Switches()
}

func (it *sharedItem) isVisible(v *game.View, switches *game.SwitchState) bool {
	if it.swtch != 0 && it.without == (switches == nil || switches.IsActive(it.swtch)) {
		return false
	}
	return it.global || (v.Sees(it.pos) || it.pos2 != it.pos && v.Sees(it.pos2)) && v.Shows(it.notFor)
}

// CharacterSize is the number of integers of a character item, in all versions.
const CharacterSize = 22

// CharacterItem is a character as the snapshots show it.
type CharacterItem struct {
	Player              game.PlayerID
	Pos                 vec.Vec2
	State               *game.CharacterState // of the frame
	HookEnds            []vec.Vec2           // the other ends of hooks at it, with which it is seen in DDRace
	Ints                [CharacterSize]int32 // with 0 for the following
	Health, Armor, Ammo int32
	ref                 snapshot.SharedRef
}

// HookLines are the hooks at tees of DDRace, which are seen with them. The zero value is ready to use.
type HookLines struct{ ends []vec.Vec2 }

// Show lets the characters of a frame, which items are, be seen with the hooks at them.
func (h *HookLines) Show(f *game.Frame, items []CharacterItem) {
	h.ends = h.ends[:0]
	for i := range items {
		first, c := len(h.ends), &f.Characters[i]
		h.ends = append(h.ends, Point(c.HookX, c.HookY)) // without a hook it is where the tee was
		for j := range f.Characters {
			if f.Characters[j].HookedPlayer == int32(c.Player) {
				h.ends = append(h.ends, f.Characters[j].Pos)
			}
		}
		items[i].HookEnds = h.ends[first:len(h.ends):len(h.ends)]
	}
}

// IsVisible reports whether the view shows the character.
func (c *CharacterItem) IsVisible(v *game.View) bool {
	sees := v.Sees(c.Pos)
	for _, end := range c.HookEnds {
		sees = sees || v.SeesLine(c.Pos, end)
	}
	return sees && v.ShowsTee(c.State)
}

// Append adds the character, which the view shows, to b. The player and those who watch them also get the
// health, which stands at index healthIndex, followed by armor and ammo.
func (c *CharacterItem) Append(b *snapshot.Builder, v *game.View, typ, healthIndex int) {
	if c.Player == v.VitalsOf || c.Player == v.Viewer {
		c.AppendOwn(b, v, typ, int(c.Player), healthIndex)
	} else {
		b.AddShared(&c.ref, typ, int(c.Player), c.Ints[:])
	}
}

// AppendOwn is Append under an id and for a view that shows something else than others. It returns the
// integers; nil if there is no room.
func (c *CharacterItem) AppendOwn(b *snapshot.Builder, v *game.View, typ, id, healthIndex int) []int32 {
	ints := b.Add(typ, id, CharacterSize)
	if ints == nil {
		return nil
	}
	copy(ints, c.Ints[:])
	if c.Player == v.VitalsOf || c.Player == v.Viewer {
		ints[healthIndex], ints[healthIndex+1], ints[healthIndex+2] = c.Health, c.Armor, c.Ammo
	}
	return ints
}

const (
	// MaxEffects bounds the events that one round of snapshots shows, as in the original.
	MaxEffects = 128
	// MaxEffectItems bounds their items: in 0.6 an event can have several.
	MaxEffectItems = 512
)

// EffectItems are the items for the effects of the next round of snapshots. The order of
// their ids is that in which they happened. The zero value is empty.
type EffectItems struct {
	Items    []EffectItem
	recorded int // events
}

// EffectItem is an effect as a snapshot shows it, to those in To who are near.
type EffectItem struct {
	Type, ID uint16
	size     uint8
	// Countdown is set for stars that count seconds, which not all clients need.
	Countdown bool
	To        game.PlayerMask
	Ints      [7]int32 // X, Y, then what the type has
	ref       snapshot.SharedRef
}

// CountEvent counts an event. It returns false if there have been too many.
func (e *EffectItems) CountEvent() bool {
	if e.recorded == MaxEffects {
		return false
	}
	e.recorded++
	return true
}

// Record adds the item for an event, but for EvDamage, which differs by version. The
// caller has counted the event.
func (e *EffectItems) Record(ev *game.Event, types *ItemTypes) {
	switch ev.Kind {
	case game.EvExplosion:
		e.Add(types.Explosion, ev.Pos, ev.To)
	case game.EvSpawn:
		e.Add(types.Spawn, ev.Pos, ev.To)
	case game.EvHammerHit:
		e.Add(types.HammerHit, ev.Pos, ev.To)
	case game.EvDeath:
		e.Add(types.Death, ev.Pos, ev.To, int32(ev.Player))
	case game.EvSound:
		e.Add(types.Sound, ev.Pos, ev.To, int32(ev.Sound))
	}
}

// Add adds an item. The integers are those after the position.
func (e *EffectItems) Add(typ int, pos vec.Vec2, to game.PlayerMask, ints ...int32) {
	if len(e.Items) == MaxEffectItems {
		return
	}
	it := EffectItem{Type: uint16(typ), ID: uint16(len(e.Items)), size: uint8(2 + len(ints)), To: to}
	it.Ints[0], it.Ints[1] = int32(pos.X), int32(pos.Y)
	copy(it.Ints[2:], ints)
	e.Items = append(e.Items, it)
}

// CountdownLast says that the item that was added last, if there is one, counts seconds.
func (e *EffectItems) CountdownLast() {
	if n := len(e.Items); n > 0 {
		e.Items[n-1].Countdown = true
	}
}

// Sort sorts the items by type and id.
func (e *EffectItems) Sort() {
	slices.SortFunc(e.Items, func(a, b EffectItem) int { return cmp.Compare(itemKey(a.Type, a.ID), itemKey(b.Type, b.ID)) })
}

// Size returns the number of items, and how many integers they have at most.
func (e *EffectItems) Size() (items, ints int) {
	return len(e.Items), len(e.Items) * len(EffectItem{}.Ints)
}

// Reset removes all items.
func (e *EffectItems) Reset() { e.Items, e.recorded = e.Items[:0], 0 }

// IsFor reports whether the effect is for the viewer and near.
func (it *EffectItem) IsFor(v *game.View) bool {
	told := it.To.Has(v.Viewer) || v.ShowAll && it.To.IsPublic()
	return told && v.Hears(Point(it.Ints[0], it.Ints[1]))
}

// Append adds the effect, which is for the viewer, to b.
func (it *EffectItem) Append(b *snapshot.Builder) {
	b.AddShared(&it.ref, int(it.Type), int(it.ID), it.Ints[:it.size])
}
