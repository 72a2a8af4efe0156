// Package items encodes the parts of snapshots that are alike in all versions: items that several
// clients see, characters, and effects.
package items

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Types maps the snapshot items whose layout is the same in every protocol version to the item
// type numbers of one version.
type Types struct {
	Projectile, Laser, Flag                   int
	Explosion, Spawn, HammerHit, Death, Sound int
}

// Shared holds the items of one round of snapshots that are equal for every client that sees
// them, such as pickups and projectiles. Each item is encoded once. The zero value is empty.
type Shared struct {
	items    []sharedItem
	ints     []int32
	copied   []int32 // an item for an OwnerMap
	switched bool    // at least one item depends on a switch
}

type sharedItem struct {
	typ, id uint16
	offset  uint32 // index of the item's first integer in Shared.ints
	size    uint16 // number of integers
	global  bool   // visible from everywhere on the map
	owned   bool   // see OwnLast
	swtch   uint8  // number of the DDRace switch that shows or hides the item, 0 for none
	without bool   // the item is visible while the switch is off, not while it is on
	pos     vec.Vec2
	pos2    vec.Vec2 // the other end of a beam; pos for other items
	notFor  game.PlayerMask
	ref     snapshot.SharedRef
}

func itemKey(typ, id uint16) uint32 { return uint32(typ)<<16 | uint32(id) }

// Reset removes all items.
func (s *Shared) Reset() { s.items, s.ints, s.switched = s.items[:0], s.ints[:0], false }

// AddGlobal adds an item that every client sees and returns its integers, all 0. Fill them in
// before the next call.
func (s *Shared) AddGlobal(typ, id, size int) []int32 {
	offset := len(s.ints)
	for range size {
		s.ints = append(s.ints, 0)
	}
	s.items = append(s.items, sharedItem{typ: uint16(typ), id: uint16(id), offset: uint32(offset), size: uint16(size), global: true})
	return s.ints[offset : offset+size]
}

// AddNear is like AddGlobal, for an item that only viewers near pos see.
func (s *Shared) AddNear(typ, id, size int, pos vec.Vec2) []int32 {
	return s.AddBeam(typ, id, size, pos, pos)
}

// AddBeam is like AddGlobal, for an item that only viewers near pos or pos2 see.
func (s *Shared) AddBeam(typ, id, size int, pos, pos2 vec.Vec2) []int32 {
	ints := s.AddGlobal(typ, id, size)
	it := &s.items[len(s.items)-1]
	it.global, it.pos, it.pos2 = false, pos, pos2
	return ints
}

// HideLast hides the most recently added item from the players in notFor.
func (s *Shared) HideLast(notFor game.PlayerMask) { s.items[len(s.items)-1].notFor = notFor }

// OwnLast marks the most recently added item as one with a player's id, for an [OwnerMap].
func (s *Shared) OwnLast() { s.items[len(s.items)-1].owned = true }

// HideLastBy hides the most recently added item from viewers for whom the entity's switch is off.
func (s *Shared) HideLastBy(e game.MapEntity) {
	s.items[len(s.items)-1].swtch = e.Switch
	s.switched = s.switched || e.Switch != 0
}

// ShowLastWithout shows the most recently added item only to viewers for whom the entity's switch
// is off.
func (s *Shared) ShowLastWithout(e game.MapEntity) {
	s.HideLastBy(e)
	s.items[len(s.items)-1].without = true
}

// BlinkLast makes the most recently added item blink for viewers for whom the switch of e is off.
// The item must belong to the map entity e. DDNet-Server does the same for clients that do not
// support switches.
func (s *Shared) BlinkLast(e game.MapEntity, explosive bool, tick int32) {
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
func (s *Shared) AddEntities(f *game.Frame, types *Types) {
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
			copy(s.AddNear(types.Laser, int(l.ID), 5, l.Pos), []int32{l.X, l.Y, l.X, l.Y, l.StartTick}) // a laser that is off is a point
			s.HideLast(l.NotFor)
			s.ShowLastWithout(l.Entity)
		default:
			s.BlinkLast(l.Entity, false, f.Tick)
		}
	}
	s.AddFlags(f, types)
}

// AddFlags adds the flags of a frame.
func (s *Shared) AddFlags(f *game.Frame, types *Types) {
	for i := range f.Flags {
		g := &f.Flags[i]
		copy(s.AddNear(types.Flag, int(g.Team), 3, g.Pos), []int32{g.X, g.Y, int32(g.Team)})
	}
}

// Sort sorts the items by type and id, so that the snapshots need not be sorted one by one.
func (s *Shared) Sort() {
	slices.SortFunc(s.items, func(a, b sharedItem) int { return cmp.Compare(itemKey(a.typ, a.id), itemKey(b.typ, b.id)) })
}

// AppendVisible adds the items that are visible in v to b until b is full.
// MapOwner is nil for clients that know all players by their ids.
func (s *Shared) AppendVisible(b *snapshot.Builder, v *game.View, mapOwner OwnerMap) {
	switches := s.switches(v)
	for i := range s.items {
		if it := &s.items[i]; it.isVisible(v, switches) {
			s.append(b, it, mapOwner)
		}
	}
}

// OwnerMap changes the player's id in a copy of an item for a client that knows players under other
// ids. OwnerMap returns the id of the item, or a negative number to leave the item out.
type OwnerMap func(typ, id int, ints []int32) int

// AppendByPriority adds the visible items of one priority to b. Called with each priority in turn,
// it adds the same items as AppendVisible.
func (s *Shared) AppendByPriority(b *snapshot.Builder, v *game.View, types *Types, priority int, mapOwner OwnerMap) {
	switches := s.switches(v)
	for i := range s.items {
		if it := &s.items[i]; types.priority(it) == priority && it.isVisible(v, switches) {
			s.append(b, it, mapOwner)
		}
	}
}

// Priorities of shared items. A snapshot without room for all items drops the last priorities
// first. Players and tees are added after PriorityMatch, effects after PriorityPickups.
const (
	PriorityMatch = iota // the state of the match, and the flags
	PriorityProjectiles
	PriorityLasers
	PriorityPickups
)

func (t *Types) priority(it *sharedItem) int {
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

// Size returns the number of items and the total number of their integers.
func (s *Shared) Size() (items, ints int) { return len(s.items), len(s.ints) }

func (s *Shared) append(b *snapshot.Builder, it *sharedItem, mapOwner OwnerMap) {
	if it.owned && mapOwner != nil {
		s.copied = append(s.copied[:0], s.ints[it.offset:it.offset+uint32(it.size)]...)
		if id := mapOwner(int(it.typ), int(it.id), s.copied); id >= 0 {
			copy(b.Add(int(it.typ), id, len(s.copied)), s.copied)
		}
		return
	}
	b.AddShared(&it.ref, int(it.typ), int(it.id), s.ints[it.offset:it.offset+uint32(it.size)])
}

// switches returns the switches of the view, or nil if no item depends on a switch.
func (s *Shared) switches(v *game.View) *game.SwitchState {
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

// CharacterSize is the number of integers in a character item. CharacterSize is the same in every
// version.
const CharacterSize = 22

// Character is one character, encoded for snapshots.
type Character struct {
	Player              game.PlayerID
	Pos                 vec.Vec2
	State               *game.CharacterState // the character's state in the frame
	HookEnds            []vec.Vec2           // other ends of the hooks attached to the tee; a DDRace view that crosses such a hook shows the tee
	Ints                [CharacterSize]int32 // encoded without Health, Armor and Ammo, which are 0 here
	Health, Armor, Ammo int32
	ref                 snapshot.SharedRef
}

// HookLines stores where the hooks of DDRace tees end. A view that contains part of a hook also
// shows the tee. The zero value is ready to use.
type HookLines struct{ ends []vec.Vec2 }

// Show sets HookEnds of items. The items must be the characters of f in the same order.
func (h *HookLines) Show(f *game.Frame, items []Character) {
	h.ends = h.ends[:0]
	for i := range items {
		first, c := len(h.ends), &f.Characters[i]
		h.ends = append(h.ends, convert.Point(c.HookX, c.HookY)) // a tee without a hook has its last position here
		for j := range f.Characters {
			if f.Characters[j].HookedPlayer == int32(c.Player) {
				h.ends = append(h.ends, f.Characters[j].Pos)
			}
		}
		items[i].HookEnds = h.ends[first:len(h.ends):len(h.ends)]
	}
}

// IsVisible reports whether the character is visible in v.
func (c *Character) IsVisible(v *game.View) bool {
	sees := v.Sees(c.Pos)
	for _, end := range c.HookEnds {
		sees = sees || v.SeesLine(c.Pos, end)
	}
	return sees && v.ShowsTee(c.State)
}

// Append adds the character to b. IsVisible must have reported true for v. Health, armor and ammo
// are included only if v belongs to the player or to a spectator of the player. Health, armor and
// ammo start at index healthIndex.
func (c *Character) Append(b *snapshot.Builder, v *game.View, typ, healthIndex int) {
	if c.Player == v.VitalsOf || c.Player == v.Viewer {
		c.AppendOwn(b, v, typ, int(c.Player), healthIndex)
	} else {
		b.AddShared(&c.ref, typ, int(c.Player), c.Ints[:])
	}
}

// AppendOwn adds the character under the given id, as an item that is not shared with other views.
// AppendOwn returns the item's integers, or nil if b is full.
func (c *Character) AppendOwn(b *snapshot.Builder, v *game.View, typ, id, healthIndex int) []int32 {
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
	// MaxEffects is the maximum number of events shown in one round of snapshots, as in 0.7.5.
	MaxEffects = 128
	// MaxEffectItems is the maximum number of items for those events. In 0.6, one event can need
	// several items.
	MaxEffectItems = 512
)

// Effects holds the items for the effects of the next round of snapshots. Item ids count up in
// the order in which the effects happened. The zero value is empty.
type Effects struct {
	Items    []Effect
	recorded int // number of events counted by CountEvent
}

// Effect is one effect in a snapshot. Players in To see the effect if they are near.
type Effect struct {
	Type, ID uint16
	size     uint8
	// Countdown marks a star that counts the seconds of a freeze. Clients that show freezes
	// themselves do not get it.
	Countdown bool
	To        game.PlayerMask
	Ints      [7]int32 // X, Y, then the fields of the type
	ref       snapshot.SharedRef
}

// CountEvent counts an event and reports whether it is within MaxEffects.
func (e *Effects) CountEvent() bool {
	if e.recorded == MaxEffects {
		return false
	}
	e.recorded++
	return true
}

// Record adds the item for an event. Record ignores EvDamage, because each version encodes it
// differently. Call CountEvent first.
func (e *Effects) Record(ev *game.Event, types *Types) {
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

// Add adds an item of the given type at pos. The integers ints follow the position in the item.
func (e *Effects) Add(typ int, pos vec.Vec2, to game.PlayerMask, ints ...int32) {
	if len(e.Items) == MaxEffectItems {
		return
	}
	it := Effect{Type: uint16(typ), ID: uint16(len(e.Items)), size: uint8(2 + len(ints)), To: to}
	it.Ints[0], it.Ints[1] = int32(pos.X), int32(pos.Y)
	copy(it.Ints[2:], ints)
	e.Items = append(e.Items, it)
}

// CountdownLast marks the most recently added item, if there is one, as a star that counts seconds.
func (e *Effects) CountdownLast() {
	if n := len(e.Items); n > 0 {
		e.Items[n-1].Countdown = true
	}
}

// Sort sorts the items by type and id.
func (e *Effects) Sort() {
	slices.SortFunc(e.Items, func(a, b Effect) int { return cmp.Compare(itemKey(a.Type, a.ID), itemKey(b.Type, b.ID)) })
}

// Size returns the number of items and an upper bound on the total number of their integers.
func (e *Effects) Size() (items, ints int) {
	return len(e.Items), len(e.Items) * len(Effect{}.Ints)
}

// Reset removes all items.
func (e *Effects) Reset() { e.Items, e.recorded = e.Items[:0], 0 }

// IsFor reports whether the viewer is among the effect's recipients and near enough.
func (it *Effect) IsFor(v *game.View) bool {
	told := it.To.Has(v.Viewer) || v.ShowAll && it.To.IsPublic()
	return told && v.Hears(convert.Point(it.Ints[0], it.Ints[1]))
}

// AppendOf adds the effect with another player's id. Other views do not share the item. IsFor must
// have reported true.
func (it *Effect) AppendOf(b *snapshot.Builder, player int32) {
	if ints := b.Add(int(it.Type), int(it.ID), int(it.size)); ints != nil {
		copy(ints, it.Ints[:])
		ints[EffectPlayer] = player
	}
}

// EffectPlayer is the index of the player's id in the integers of deaths and damage.
const EffectPlayer = 2

// Append adds the effect to b. IsFor must have reported true.
func (it *Effect) Append(b *snapshot.Builder) {
	b.AddShared(&it.ref, int(it.Type), int(it.ID), it.Ints[:it.size])
}
