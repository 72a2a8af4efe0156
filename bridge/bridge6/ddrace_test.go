package bridge6

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// drawer draws random values for frames.
type drawer struct{ *rapid.T }

func (d drawer) int(from, to int32) int32 { return rapid.Int32Range(from, to).Draw(d.T, "n") }
func (d drawer) bool() bool               { return rapid.Bool().Draw(d.T, "b") }
func (d drawer) id() game.PlayerID        { return game.PlayerID(d.int(-1, 5)) }

// pos draws a position on a map, with the precision that projectiles have on the wire.
func (d drawer) pos() vec.Vec2 {
	return vec.Vec2{X: float32(d.int(-300, 4000)) + 0.25, Y: float32(d.int(-300, 3000)) + 0.5}
}

func (d drawer) entity(kinds ...game.MapEntityKind) (e game.MapEntity) {
	if e.Kind = rapid.SampledFrom(kinds).Draw(d.T, "kind"); e.Kind != game.NoMapEntity {
		e.Layer, e.Switch = ddrace.Layer(d.int(0, 5)), uint8(d.int(0, 255))
	}
	return e
}

// drawDDRace draws a random view of a race.
func drawDDRace(t *rapid.T) *game.View {
	d := drawer{t}
	tick := d.int(1000, 1<<28)
	f := &game.Frame{Tick: tick, Extended: true}
	f.Game = game.GameState{Flags: game.GameFlagRace | game.GameFlagDDRace, FlagCarrier: [2]int32{-3, -3}, StartTick: d.int(0, tick)}
	if d.bool() {
		f.Game.Flags |= game.GameFlagNoWeakHook
	}
	v := &game.View{Frame: f, Viewer: 0, VitalsOf: 0, Range: game.DDRaceRange, Pos: vec.Vec2{X: 1800, Y: 1000}}
	for id := range game.PlayerID(d.int(1, 6)) {
		p := game.PlayerState{
			ID: id, Score: rapid.SampledFrom([]int32{game.NoRaceTime, 0, 61_000}).Draw(t, "score"), RaceStart: d.int(0, 1) * d.int(1, tick),
			DDRaceTeam: d.int(0, game.TeamSuper), AFK: d.bool(), Pause: game.PauseKind(d.int(0, 2)), HideClock: d.bool(), SpectatorID: game.Nobody,
		}
		if p.Pause != game.NotPaused {
			if p.Spectating = true; id == v.Viewer {
				p.ViewX, p.ViewY = int32(v.Pos.X), int32(v.Pos.Y)
				v.VitalsOf = game.Nobody
				if d.bool() {
					p.SpecMode, p.SpectatorID = game.SpectatePlayer, 1
					v.VitalsOf = 1
				}
			}
		}
		f.Players = append(f.Players, p)
		if p.Pause == game.PauseVanished {
			pos := d.pos()
			f.SpecTees = append(f.SpecTees, game.SpecTee{Player: id, X: int32(pos.X), Y: int32(pos.Y)})
		} else if d.bool() {
			f.Characters = append(f.Characters, d.character(id, tick))
		}
	}
	id := uint16(0)
	next := func() uint16 { id += uint16(d.int(1, 3)); return id }
	for range d.int(0, 5) {
		start, dir := d.pos(), float64(d.int(-3_141_592, 3_141_592))/1e6
		p := game.ProjectileState{
			ID: next(), X: int32(start.X), Y: int32(start.Y), Weapon: game.Weapon(d.int(1, 3)), StartTick: d.int(0, tick), Pos: start,
			Start: start, Direction: vec.Vec2{X: float32(math.Sin(dir)), Y: float32(math.Cos(dir))}, Owner: d.id(), Flags: game.ProjectileFlags(d.int(0, 15)),
			TuneZone: uint8(d.int(0, 255)), Entity: d.entity(game.NoMapEntity, game.MapProjectile),
		}
		p.VelX, p.VelY = int32(p.Direction.X*100), int32(p.Direction.Y*100)
		f.Projectiles = append(f.Projectiles, p)
	}
	for range d.int(0, 5) {
		pos, from := d.pos(), d.pos()
		l := game.LaserState{ID: next(), X: int32(pos.X), Y: int32(pos.Y), FromX: int32(from.X), FromY: int32(from.Y),
			StartTick: d.int(0, tick), Pos: pos, From: from}
		if l.Kind = game.LaserKind(d.int(0, 2)); l.Kind == game.LaserBeam {
			l.Owner = game.Nobody
			if l.Entity = d.entity(game.NoMapEntity, game.MapDoor, game.MapDraggerStrong, game.MapTurretUnfreeze, game.MapLight); l.Entity.Kind != 0 {
				l.StartTick = tick
			}
		} else {
			l.Owner = d.id()
		}
		f.Lasers = append(f.Lasers, l)
	}
	for range d.int(0, 5) {
		pos := d.pos()
		f.Pickups = append(f.Pickups, game.PickupState{
			ID: next(), X: int32(pos.X), Y: int32(pos.Y), Kind: game.PickupKind(d.int(0, int32(game.PickupArmorLaser))),
			Entity: d.entity(game.NoMapEntity, game.MapPickup),
		})
	}
	for team := range d.int(0, 3) {
		s := game.SwitchState{Team: team * 20, Highest: d.int(0, 255)}
		for i := range s.Active {
			s.Active[i] = rapid.Uint32().Draw(t, "active")
		}
		for i := range d.int(0, 4) {
			s.Timers[i] = game.SwitchTimer{Number: d.int(1, 255), EndTick: d.int(1, 1<<30)}
		}
		f.Switches = append(f.Switches, s)
	}
	return v
}

func (d drawer) character(id game.PlayerID, tick int32) game.CharacterState {
	pos, hook := d.pos(), d.pos()
	c := game.CharacterState{
		Player: id, Tick: tick, X: int32(pos.X), Y: int32(pos.Y), VelX: d.int(-9999, 9999), Direction: d.int(-1, 1), Jumped: d.int(0, 3),
		HookedPlayer: int32(d.id()), HookState: d.int(-1, 5), HookX: int32(hook.X), HookY: int32(hook.Y), Health: d.int(0, 10), Armor: d.int(0, 10),
		Weapon: game.Weapon(d.int(0, 5)), Emote: game.Emote(d.int(0, 5)), AttackTick: d.int(0, tick),
		Flags: game.CharacterFlags(d.int(0, 1<<25)), FreezeStart: d.int(0, tick), FreezeEnd: d.int(-1, 1<<30),
		Jumps: d.int(-1, 255), AirJumps: d.int(0, 255), TickOrder: d.int(0, 63), NinjaStart: d.int(-500, tick),
		TargetX: d.int(-1e6, 1e6), TargetY: d.int(-1e6, 1e6), TeleCheckpoint: d.int(0, 255),
	}
	c.Pos = convert.Point(c.X, c.Y)
	return c
}

// loseDDRace returns the part of a race view that a client of the given release receives.
func loseDDRace(v *game.View, version int32) *game.View {
	f, w := *v.Frame, *v
	w.Frame = &f
	watched, hidden := v.VitalsOf, false
	f.Players = slices.Clone(f.Players)
	for i := range f.Players {
		p := &f.Players[i]
		if p.ID == v.Viewer && p.HideClock {
			hidden = true
		}
		if p.HideClock = false; p.ID != v.Viewer {
			p.Spectating = false
		}
	}
	for i := range f.Players {
		if p := &f.Players[i]; p.ID != watched || hidden {
			p.RaceStart = 0
		}
	}
	hooks := func(c *game.CharacterState) bool {
		if v.Sees(c.Pos) { // which the nearest point of a hook's line may just miss
			return true
		}
		for i := range v.Characters {
			if h := &v.Characters[i]; h.HookedPlayer == int32(c.Player) && v.SeesLine(c.Pos, h.Pos) {
				return true
			}
		}
		return v.SeesLine(c.Pos, convert.Point(c.HookX, c.HookY))
	}
	f.Characters = slices.DeleteFunc(slices.Clone(f.Characters), func(c game.CharacterState) bool { return !hooks(&c) })
	for i := range f.Characters {
		if c := &f.Characters[i]; c.Player != v.Viewer && c.Player != v.VitalsOf {
			c.Health, c.Armor = 0, 0
		}
	}
	f.Projectiles = slices.DeleteFunc(slices.Clone(f.Projectiles), func(p game.ProjectileState) bool { return !v.Sees(p.Pos) })
	for i := range f.Projectiles {
		p := &f.Projectiles[i]
		p.Pos = vec.Vec2{} // depends on the tuning
		if version < msg6.VersionEntityNetObjs {
			p.TuneZone = 0
			continue
		}
		p.Entity = switched(p.Entity)
		p.X, p.Y = int32(math.Round(float64(p.Start.X)*100))/100, int32(math.Round(float64(p.Start.Y)*100))/100
	}
	f.Lasers = slices.Clone(f.Lasers)
	for i := range f.Lasers {
		if l := &f.Lasers[i]; l.Entity.Kind == game.MapLight && l.Entity.Switch != 0 {
			if s := v.Switches(); s != nil && !s.IsActive(l.Entity.Switch) {
				l.From, l.FromX, l.FromY = l.Pos, l.X, l.Y // a laser that is off is a point
			}
		}
	}
	f.Lasers = slices.DeleteFunc(f.Lasers, func(l game.LaserState) bool { return !v.Sees(l.Pos) && !v.Sees(l.From) })
	for i := range f.Lasers {
		l := &f.Lasers[i]
		if l.Pos, l.From = convert.Point(l.X, l.Y), convert.Point(l.FromX, l.FromY); version < msg6.VersionMultiLaser && l.Entity.Kind == game.NoMapEntity {
			l.Kind, l.Owner = 0, 0
		}
	}
	f.Pickups = slices.DeleteFunc(slices.Clone(f.Pickups), func(p game.PickupState) bool { return !v.Sees(convert.Point(p.X, p.Y)) })
	for i := range f.Pickups {
		if p := &f.Pickups[i]; version < msg6.VersionMultiLaser && p.Kind > game.PickupHammer {
			p.Kind = game.PickupArmor
		}
		if version >= msg6.VersionEntityNetObjs {
			f.Pickups[i].Entity = switched(f.Pickups[i].Entity)
		}
	}
	f.Switches = nil
	if s := v.Switches(); s != nil && s.Team < game.TeamSuper {
		f.Switches = []game.SwitchState{*s}
	}
	return &w
}

// switched returns a map entity as clients see it in an item that has only a switch number.
func switched(e game.MapEntity) game.MapEntity {
	if e.Layer != ddrace.LayerSwitch || e.Switch == 0 {
		return game.MapEntity{}
	}
	return e
}

// TestDDRaceViews checks that clients of DDNet see everything in a race.
func TestDDRaceViews(t *testing.T) {
	for _, version := range []int32{16200, 16040, 16020} {
		rapid.Check(t, func(t *rapid.T) {
			v := drawDDRace(t)
			c := NewClientSide(nil, struct{ ignoreEvents }{}, ClientConfig{DDNetVersion: version}).(*clientSide)
			teams := make([]int32, 64)
			for _, p := range v.Players {
				teams[p.ID] = p.DDRaceTeam
			}
			c.receiveTeams(teams)
			got := c.ReceiveSnapshot(v.Tick, build(v, version))
			for i := range got.Projectiles {
				got.Projectiles[i].Pos = vec.Vec2{}
			}
			if got.VitalsOf == got.Viewer {
				got.Pos = v.Pos // the tee's position, if there is a tee
			}
			slices.SortFunc(got.Projectiles, func(a, b game.ProjectileState) int { return cmp.Compare(a.ID, b.ID) })
			slices.SortFunc(got.Lasers, func(a, b game.LaserState) int { return cmp.Compare(a.ID, b.ID) })
			near := gocmp.Comparer(func(a, b vec.Vec2) bool { return vec.Distance(a, b) < 0.02 })
			// Directions are sent in hundredths computed from angles, so their last digit can
			// differ.
			speed := gocmp.FilterPath(func(p gocmp.Path) bool { return p.Last().String() == ".VelX" || p.Last().String() == ".VelY" },
				gocmp.Comparer(func(a, b int32) bool { return max(a-b, b-a) <= 1 }))
			if d := gocmp.Diff(loseDDRace(v, version), got, near, speed, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("release %d (-server +client):\n%s", version, d)
			}
		})
	}
}
