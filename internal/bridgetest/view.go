package bridgetest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// VisibleView returns a copy of a view with the parts that all versions carry: the objects that the
// viewer sees, sorted, with positions rounded to whole units.
func VisibleView(v *game.View) *game.View {
	f, w := *v.Frame, *v
	w.Frame = &f
	f.Players = slices.Clone(f.Players)
	for i := range f.Players {
		p := &f.Players[i]
		if p.ID == v.Viewer && p.Spectating {
			w.VitalsOf, w.Pos = p.SpectatorID, point(p.ViewX, p.ViewY)
			continue
		}
		*p = game.PlayerState{
			ID: p.ID, Team: p.Team, Flags: p.Flags, Score: p.Score, SpectatorID: game.Nobody, RaceStart: p.RaceStart,
		}
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.Spectating && p.SpectatorID == v.Viewer && p.ID != v.Viewer && v.Viewer != game.Nobody {
			f.Players[i].Flags |= game.PlayerFlagWatching
		}
	}
	f.Characters = visible(f.Characters, func(c game.CharacterState) bool { return v.Sees(c.Pos) && v.ShowsTee(&c) })
	for i := range f.Characters {
		c := &f.Characters[i]
		c.NotFor, c.Secret = game.PlayerMask{}, false
		if c.Player != v.Viewer && c.Player != v.VitalsOf {
			c.Health, c.Armor, c.Ammo = 0, 0, 0
		}
	}
	f.Projectiles = visible(f.Projectiles, func(p game.ProjectileState) bool { return v.Sees(p.Pos) && v.Shows(p.NotFor) })
	f.Lasers = visible(f.Lasers, func(l game.LaserState) bool { return (v.Sees(l.Pos) || v.Sees(l.From)) && v.Shows(l.NotFor) })
	for i := range f.Lasers {
		l := &f.Lasers[i]
		l.Pos, l.From, l.NotFor = point(l.X, l.Y), point(l.FromX, l.FromY), game.PlayerMask{}
	}
	f.Pickups = visible(f.Pickups, func(p game.PickupState) bool { return v.Sees(point(p.X, p.Y)) && v.Shows(p.NotFor) })
	for i := range f.Projectiles {
		f.Projectiles[i].NotFor = game.PlayerMask{}
	}
	for i := range f.Pickups {
		f.Pickups[i].NotFor = game.PlayerMask{}
	}
	f.Flags = visible(f.Flags, func(g game.FlagState) bool { return v.Sees(g.Pos) })
	for i := range f.Flags {
		f.Flags[i].Pos = point(f.Flags[i].X, f.Flags[i].Y)
	}
	slices.SortFunc(f.Projectiles, func(a, b game.ProjectileState) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Lasers, func(a, b game.LaserState) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Pickups, func(a, b game.PickupState) int { return cmp.Compare(a.ID, b.ID) })
	return &w
}

func visible[T any](list []T, sees func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(e T) bool { return !sees(e) })
}

// DiffViews compares a client's view with the expected one. Tees may be off by the rounding to
// whole units. Projectiles have a direction in hundredths, so they may be off by a hundredth of
// their way.
func DiffViews(want, got *game.View) string {
	near := func(limit float32) gocmp.Option {
		return gocmp.Comparer(func(a, b vec.Vec2) bool { return vec.Distance(a, b) <= limit })
	}
	point := reflect.TypeFor[vec.Vec2]()
	within := func(isProjectile bool, limit float32) gocmp.Option {
		return gocmp.FilterPath(func(p gocmp.Path) bool {
			return p.Last().Type() == point && strings.HasPrefix(p.String(), "Frame.Projectiles") == isProjectile
		}, near(limit))
	}
	options := gocmp.Options{cmpopts.EquateEmpty(), within(true, 64), within(false, 1.5)}
	if gocmp.Equal(want, got, options) { // much faster than a report
		return ""
	}
	return gocmp.Diff(want, got, options)
}

// CheckView checks that a view's values are in range wherever clients rely on that, whatever
// snapshot it came from.
func CheckView(t testing.TB, c bridge.ClientSide) {
	t.Helper()
	v := c.View()
	for i := range v.Characters {
		ch := &v.Characters[i]
		if ch.Player < 0 || ch.Player >= game.MaxPlayers || ch.Weapon >= game.NumWeapons || ch.HookedPlayer >= game.MaxPlayers || ch.Emote > game.EmoteBlink {
			t.Errorf("character %+v", ch)
		}
		c.CoreState(ch)
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.ID < 0 || p.ID >= game.MaxPlayers || p.SpectatorID >= game.MaxPlayers || p.Team < game.TeamSpectators ||
			p.Team > game.TeamBlue || p.DDRaceTeam < 0 || p.DDRaceTeam > game.TeamSuper {
			t.Errorf("player %+v", p)
		}
	}
	for i := range v.Projectiles {
		if p := &v.Projectiles[i]; p.Weapon < 0 || p.Weapon >= game.NumWeapons || p.Owner >= game.MaxPlayers || p.Entity.Kind > game.MapPickup {
			t.Errorf("projectile %+v", p)
		}
	}
	for i := range v.Lasers {
		if l := &v.Lasers[i]; l.Owner >= game.MaxPlayers || l.Kind > game.LaserBeam || l.Entity.Kind > game.MapPickup {
			t.Errorf("laser %+v", l)
		}
	}
	for i := range v.Frame.Switches {
		if s := &v.Frame.Switches[i]; s.Team < 0 || s.Team >= game.TeamSuper || s.Highest < 0 || s.Highest > 255 {
			t.Errorf("switches %+v", s)
		}
	}
	for _, e := range c.Effects() {
		if e.Player >= game.MaxPlayers || e.Sound > game.SoundMenu {
			t.Errorf("effect %+v", e)
		}
	}
}

func point(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }
