package game_test

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/teeyard/teeyard/game"
)

// report has the comparable facts of a tick, one a line: first the messages to clients in their
// order, then the snapshot objects, sorted.
//
//	KILL killer victim weapon special, TEAM player team silent cooldown, ...
//	I type id fields    a snapshot object of a recording
//	V id mode watched x y    what a spectator looks at
//	H id other    whose health a player is shown
//	F id team    whose flag a player sees
//	N id ...    how many projectiles, pickups, characters, effects a player sees
type report []string

func (r *report) linef(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *report) item(typ, id int, fields ...any) {
	for i, f := range fields {
		if v := reflect.ValueOf(f); v.CanInt() {
			fields[i] = v.Int()
		} else if v.CanUint() {
			fields[i] = v.Uint()
		}
	}
	r.linef("I %02d %05d %s", typ, id, strings.TrimSpace(fmt.Sprintln(fields...)))
}

// sortFrom sorts the lines from i on.
func (r report) sortFrom(i int) { sort.Strings(r[i:]) }

// describe returns the report of a world's last tick.
func describe(w *game.World, evs []game.Event) report {
	var r report
	r.messages(evs)
	sorted := len(r)
	f := w.Frame()
	for _, p := range f.Projectiles {
		r.item(2, int(p.ID), p.X, p.Y, p.VelX, p.VelY, p.Weapon, p.StartTick)
	}
	for _, l := range f.Lasers {
		r.item(3, int(l.ID), l.X, l.Y, l.FromX, l.FromY, l.StartTick)
	}
	for _, p := range f.Pickups {
		r.item(4, int(p.ID), p.X, p.Y, p.Kind)
	}
	for _, flag := range f.Flags {
		r.item(5, int(flag.Team), flag.X, flag.Y, flag.Team)
	}
	g := &f.Game
	if g.Flags&game.GameFlagFlags != 0 {
		r.item(8, 0, g.FlagCarrier[0], g.FlagCarrier[1], g.FlagDropTick[0], g.FlagDropTick[1])
	}
	r.item(6, 0, g.StartTick, g.State, g.EndTick)
	if g.Flags&game.GameFlagTeams != 0 {
		r.item(7, 0, g.TeamScore[0], g.TeamScore[1])
	}
	for _, c := range f.Characters {
		r.item(10, int(c.Player), c.Tick, c.X, c.Y, c.VelX, c.VelY, c.Angle, c.Direction, c.Jumped,
			c.HookedPlayer, c.HookState, c.HookTick, c.HookX, c.HookY, c.HookDX, c.HookDY,
			c.Health, c.Armor, c.Ammo, c.Weapon, c.Emote, c.AttackTick, c.TriggeredEvents)
	}
	r.item(14, 0, g.Flags, g.ScoreLimit, g.TimeLimit, g.MatchNum, g.MatchCurrent)
	for _, p := range f.Players {
		r.item(11, int(p.ID), p.Flags, p.Score)
	}
	effects := r.effects(evs)
	for _, p := range f.Players {
		if p.Spectating {
			r.linef("V %d %d %d %d %d", p.ID, p.SpecMode, p.SpectatorID, p.ViewX, p.ViewY)
		}
		r.visible(w.View(p.ID), effects)
	}
	r.sortFrom(sorted)
	return r
}

// messages appends the messages of a tick.
func (r *report) messages(evs []game.Event) {
	for i := range evs {
		switch e := &evs[i]; e.Kind {
		case game.EvKill:
			killer := int(e.Player)
			if killer < -1 {
				killer++ // the wire: -1 red, -2 blue
			}
			r.linef("KILL [%d %d %d %d]", killer, e.Target, e.Weapon, e.Value)
		case game.EvTeamChange:
			r.linef("TEAM [%d %d %d %d]", e.Player, e.Team, boolToInt(e.Flag), e.Tick)
		case game.EvPickup:
			if e.Weapon >= 0 {
				r.linef("WEAPON %d [%d]", e.Player, e.Weapon)
			}
		case game.EvEmoticon:
			r.linef("EMOTICON [%d %d]", e.Player, e.Value)
		case game.EvChat:
			r.linef("CHAT %d %d", e.Chat, e.Player)
		case game.EvKick:
			r.linef("KICK %d", e.Player)
		case game.EvGameMsg:
			to := game.Nobody
			for id := range game.PlayerID(game.MaxPlayers) {
				if e.To == game.MaskOne(id) {
					to = id
				}
			}
			v := []int32{int32(e.GameMsg)}
			switch e.GameMsg {
			case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgGamePaused, game.GameMsgCTFGrab:
				v = append(v, e.Value)
			case game.GameMsgCTFCapture:
				v = append(v, e.Value, int32(e.Player), e.Extra)
			}
			r.linef("NOTICE %d %v", to, v)
		}
	}
}

// effects appends the effects of a tick; a snapshot has at most 128.
func (r *report) effects(evs []game.Event) []game.Event {
	var effects []game.Event
	for _, e := range evs {
		if !e.Kind.IsEffect() || len(effects) == 128 {
			continue
		}
		id, x, y := len(effects), int32(e.Pos.X), int32(e.Pos.Y)
		e.Pos.X, e.Pos.Y = float32(x), float32(y)
		effects = append(effects, e)
		switch e.Kind {
		case game.EvExplosion:
			r.item(17, id, x, y)
		case game.EvSpawn:
			r.item(18, id, x, y)
		case game.EvHammerHit:
			r.item(19, id, x, y)
		case game.EvDeath:
			r.item(20, id, x, y, e.Player)
		case game.EvSound:
			r.item(21, id, x, y, e.Sound)
		case game.EvDamage:
			r.item(22, id, x, y, e.Player, e.Angle, e.Value, e.Extra, boolToInt(e.Flag))
		}
	}
	return effects
}

// visible counts what a player sees.
func (r *report) visible(v game.View, effects []game.Event) {
	for _, flag := range v.Flags {
		if v.Sees(flag.Pos) {
			r.linef("F %d %d", v.Viewer, flag.Team)
		}
	}
	var n [4]int
	for i := range v.Projectiles {
		n[0] += boolToInt(v.Sees(v.Projectiles[i].Pos))
	}
	for _, p := range v.Pickups {
		at := v.Pos
		at.X, at.Y = float32(p.X), float32(p.Y)
		n[1] += boolToInt(v.Sees(at))
	}
	for i := range v.Characters {
		if c := &v.Characters[i]; v.Sees(c.Pos) {
			n[2]++
			if c.Player == v.VitalsOf {
				r.linef("H %d %d", v.Viewer, v.VitalsOf)
			}
		}
	}
	for i := range effects {
		n[3] += boolToInt(effects[i].To.Has(v.Viewer) && v.Hears(effects[i].Pos))
	}
	r.linef("N %d %v", v.Viewer, n)
}
