package bridge7

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// maxEffects bounds the effects of one snapshot round, as in the original.
const maxEffects = 128

// Scene turns frames into 0.7 snapshots for any number of viewers. What all
// viewers get alike is encoded once a round.
//
// Per tick: Note with the tick's events and frame. Per snapshot round: Begin,
// then Build for every viewer, then Done.
type Scene struct {
	frame     *game.Frame
	effects   []effect
	triggered [game.MaxPlayers]int32
	scenery   bridge.SharedItems
	chars     []char
}

// effect is an event that snapshots carry. Its id says in which order effects of
// all kinds happened, as in the original.
type effect struct {
	game.Event
	id int
}

// char is a tee: some of its integers are nobody's business but its owner's.
type char struct {
	id                  game.PlayerID
	pos                 vec.Vec2
	ints                [msg7.SizeCharacter]int32
	health, armor, ammo int32
}

// Note takes what a tick brought that only snapshots can carry: effects, and
// the core events of tees.
func (s *Scene) Note(frame *game.Frame, events []game.Event) {
	for i := range frame.Characters {
		c := &frame.Characters[i]
		s.triggered[c.Player] |= c.TriggeredEvents
	}
	for i := range events {
		if events[i].Kind.IsEffect() && len(s.effects) < maxEffects {
			s.effects = append(s.effects, effect{events[i], len(s.effects)})
		}
	}
}

// Begin encodes a frame for the viewers of this round.
func (s *Scene) Begin(f *game.Frame) {
	s.frame = f
	s.scenery.Reset()
	s.chars = s.chars[:0]

	s.game(&f.Game)
	for i := range f.Pickups {
		p := &f.Pickups[i]
		o := msg7.Pickup{X: p.X, Y: p.Y, Type: msg7.PickupType(p.Kind)}
		o.PutInts(s.scenery.AddNear(msg7.TypePickup, int(p.ID), msg7.SizePickup, at(p.X, p.Y)))
	}
	for i := range f.Projectiles {
		p := &f.Projectiles[i]
		o := msg7.Projectile{X: p.X, Y: p.Y, VelX: p.VelX, VelY: p.VelY, Type: msg7.Weapon(p.Weapon), StartTick: p.StartTick}
		o.PutInts(s.scenery.AddNear(msg7.TypeProjectile, int(p.ID), msg7.SizeProjectile, p.Pos))
	}
	for i := range f.Lasers {
		l := &f.Lasers[i]
		o := msg7.Laser{X: l.X, Y: l.Y, FromX: l.FromX, FromY: l.FromY, StartTick: l.StartTick}
		o.PutInts(s.scenery.AddBeam(msg7.TypeLaser, int(l.ID), msg7.SizeLaser, l.Pos, l.From))
	}
	for i := range f.Flags {
		g := &f.Flags[i]
		o := msg7.Flag{X: g.X, Y: g.Y, Team: msg7.Team(g.Team)}
		o.PutInts(s.scenery.AddNear(msg7.TypeFlag, int(g.Team), msg7.SizeFlag, g.Pos))
	}
	for i := range f.Characters {
		s.character(&f.Characters[i])
	}
	// Build goes on with tees, players and effects, whose types are higher.
	s.scenery.Sort()
	slices.SortStableFunc(s.effects, func(a, b effect) int { return cmp.Compare(a.Kind, b.Kind) })
}

// game encodes where the match stands.
func (s *Scene) game(g *game.GameState) {
	o := msg7.GameData{StartTick: g.StartTick, StateFlags: msg7.GameStateFlags(g.State), StateEndTick: g.EndTick}
	o.PutInts(s.scenery.AddGlobal(msg7.TypeGameData, 0, msg7.SizeGameData))
	if g.Flags&game.GameFlagTeams != 0 {
		o := msg7.GameDataTeam{ScoreRed: g.TeamScore[0], ScoreBlue: g.TeamScore[1]}
		o.PutInts(s.scenery.AddGlobal(msg7.TypeGameDataTeam, 0, msg7.SizeGameDataTeam))
	}
	if g.Flags&game.GameFlagFlags != 0 {
		o := msg7.GameDataFlag{
			CarrierRed: msg7.FlagCarrier(g.FlagCarrier[0]), CarrierBlue: msg7.FlagCarrier(g.FlagCarrier[1]),
			DropTickRed: g.FlagDropTick[0], DropTickBlue: g.FlagDropTick[1],
		}
		o.PutInts(s.scenery.AddGlobal(msg7.TypeGameDataFlag, 0, msg7.SizeGameDataFlag))
	}
}

func (s *Scene) character(c *game.CharacterState) {
	s.chars = append(s.chars, char{id: c.Player, pos: c.Pos, health: c.Health, armor: c.Armor, ammo: c.Ammo})
	o := msg7.Character{
		CharacterCore: msg7.CharacterCore{
			Tick: c.Tick, X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction,
			Jumped: c.Jumped, HookedPlayer: c.HookedPlayer, HookState: msg7.HookState(c.HookState), HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
		},
		Weapon: msg7.Weapon(c.Weapon), Emote: msg7.Emote(c.Emote), AttackTick: c.AttackTick,
		TriggeredEvents: msg7.CoreEvents(s.triggered[c.Player]),
	}
	o.PutInts(s.chars[len(s.chars)-1].ints[:])
}

// Build writes what the view shows into b. Latency is what the scoreboard is
// to show per player, in ms.
func (s *Scene) Build(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	b.Reset()
	s.scenery.AppendVisible(b, v)
	for i := range s.chars {
		c := &s.chars[i]
		if !v.Sees(c.pos) {
			continue
		}
		dst := b.Add(msg7.TypeCharacter, int(c.id), msg7.SizeCharacter)
		if dst == nil {
			continue
		}
		copy(dst, c.ints[:])
		if v.ShowAll || c.id == v.Viewer || c.id == v.VitalsOf {
			dst[charHealth], dst[charHealth+1], dst[charHealth+2] = c.health, c.armor, c.ammo
		}
	}
	s.players(b, v, latency)
	s.buildEffects(b, v)
}

// charHealth is where health, armour and ammunition stand in a Character,
// behind its core.
const charHealth = msg7.SizeCharacterCore

func (s *Scene) players(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	var watcher *game.PlayerState
	for i := range s.frame.Players {
		p := &s.frame.Players[i]
		flags := p.Flags
		if p.Spectating && p.SpectatorID == v.Viewer && v.Viewer != p.ID {
			flags |= game.PlayerFlagWatching
		}
		o := msg7.PlayerInfo{PlayerFlags: msg7.PlayerFlags(flags), Score: p.Score, Latency: latency[p.ID]}
		if dst := b.Add(msg7.TypePlayerInfo, int(p.ID), msg7.SizePlayerInfo); dst != nil {
			o.PutInts(dst)
		}
		if p.ID == v.Viewer && p.Spectating {
			watcher = p
		}
	}
	if p := watcher; p != nil {
		o := msg7.SpectatorInfo{Mode: msg7.SpecMode(p.SpecMode), SpectatorID: int32(p.SpectatorID), X: p.ViewX, Y: p.ViewY}
		if dst := b.Add(msg7.TypeSpectatorInfo, int(p.ID), msg7.SizeSpectatorInfo); dst != nil {
			o.PutInts(dst)
		}
	}
}

func (s *Scene) buildEffects(b *snapshot.Builder, v *game.View) {
	for i := range s.effects {
		e := &s.effects[i]
		c := msg7.EventCommon{X: int32(e.Pos.X), Y: int32(e.Pos.Y)}
		if !v.ShowAll && (!e.To.Has(v.Viewer) || !v.Hears(at(c.X, c.Y))) {
			continue
		}
		typ, n := effectObject(e.Kind)
		dst := b.Add(typ, e.id, n)
		if dst == nil {
			continue
		}
		switch e.Kind {
		case game.EvDeath:
			o := msg7.EventDeath{EventCommon: c, ClientID: int32(e.Player)}
			o.PutInts(dst)
		case game.EvSound:
			o := msg7.EventSoundWorld{EventCommon: c, Sound: msg7.Sound(e.Sound)}
			o.PutInts(dst)
		case game.EvDamage:
			o := msg7.EventDamage{EventCommon: c, ClientID: int32(e.Player), Angle: e.Angle, Health: e.Value, Armor: e.Extra, Self: e.Flag}
			o.PutInts(dst)
		default: // a place and nothing else
			c.PutInts(dst)
		}
	}
}

// effectObject is the object that an effect is in a snapshot, and its size.
func effectObject(k game.EventKind) (typ, n int) {
	switch k {
	case game.EvExplosion:
		return msg7.TypeEventExplosion, msg7.SizeEventExplosion
	case game.EvSpawn:
		return msg7.TypeEventSpawn, msg7.SizeEventSpawn
	case game.EvHammerHit:
		return msg7.TypeEventHammerHit, msg7.SizeEventHammerHit
	case game.EvDeath:
		return msg7.TypeEventDeath, msg7.SizeEventDeath
	case game.EvSound:
		return msg7.TypeEventSoundWorld, msg7.SizeEventSoundWorld
	}
	return msg7.TypeEventDamage, msg7.SizeEventDamage
}

// Done ends a round: effects were shown, to whomever they could be.
func (s *Scene) Done() {
	clear(s.effects) // let go of their texts
	s.effects = s.effects[:0]
	clear(s.triggered[:])
}

func at(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }
