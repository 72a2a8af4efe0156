package game_test

import (
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// reader reads numbers from fuzz input, and zeros after its end.
type reader struct{ b []byte }

func (r *reader) u8() byte {
	if len(r.b) == 0 {
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) i32() int32 {
	var v [4]byte
	r.b = r.b[copy(v[:], r.b):]
	return int32(binary.LittleEndian.Uint32(v[:]))
}

// small returns a small number in most cases, and any number in some.
func (r *reader) small() int32 {
	if v := r.u8(); v < 250 {
		return int32(v)%80 - 2
	}
	return r.i32()
}

func (r *reader) input() game.Input {
	flags := r.u8()
	return game.Input{
		Direction: int32(flags>>6) - 1, Jump: flags&1 != 0, Hook: flags&2 != 0,
		Flags: game.PlayerFlags(r.u8()), TargetX: r.small(), TargetY: r.small(),
		Fire: r.small(), WantedWeapon: r.small() % 8, NextWeapon: r.small(), PrevWeapon: r.small(),
	}
}

// command returns any command, in most cases for one of a few players.
func (r *reader) command() game.Command {
	kind := game.CommandKind(r.u8() % 36)
	c := game.Command{Kind: kind, Player: game.PlayerID(r.small() % 8), Target: game.PlayerID(r.small() % 10)}
	if r.u8() > 250 {
		c.Player, c.Target = game.PlayerID(r.u8()), game.PlayerID(r.u8())
	}
	switch kind {
	case game.CmdInput, game.CmdDirectInput:
		c.Input = r.input()
	case game.CmdProfile, game.CmdSkinChange:
		if r.u8() > 20 {
			c.Profile = &game.Profile{Name: string(r.b[:min(len(r.b), 20)]), Clan: "clan", Country: r.i32()}
		}
	case game.CmdSay, game.CmdBroadcast, game.CmdLeave:
		c.Chat, c.Text = game.ChatMode(r.u8()%6), string(r.b[:min(len(r.b), 30)])
	case game.CmdSetVariable, game.CmdChatCommand, game.CmdConsoleCommand, game.CmdMenu, game.CmdVoteEnd:
		texts := [...]string{"", "n\x00", "s\x00", "late\x00", "hide", "one", " "}
		c.Text, c.Value = texts[int(r.u8())%len(texts)]+string(r.b[:min(len(r.b), int(r.u8()%8))]), r.small()
	case game.CmdSetRules:
		if r.u8() > 20 {
			c.Rules = &game.Rules{
				Warmup: r.small(), Countdown: r.small() % 4, ScoreLimit: r.small(), TimeLimit: r.small(),
				MatchesPerMap: r.small(), PlayerSlots: r.small(), MaxClients: r.small(),
				TournamentMode: r.small(), InactiveTime: r.small(), InactiveAction: r.small(),
				TeamBalanceTime: r.small(), MapRotation: r.u8()&1 != 0, ReadyMode: r.u8()&1 != 0,
				SpamProtection: r.u8()&1 != 0, TeamDamage: r.u8()&1 != 0, MatchSwap: true, PureTuning: r.u8()&1 != 0,
			}
		}
	case game.CmdTuneParams:
		if r.u8() > 20 {
			t := physics.DefaultTuning()
			for range 3 {
				i := r.u8() % physics.NumTuneParams
				t[i] = t[i] * int32(r.u8()) / 100
			}
			c.Tuning = &t
		}
	default:
		c.Team, c.Spectate = game.Team(r.small()), game.SpectateMode(r.u8()%6)
		c.Value, c.AsSpectator = r.small(), r.u8()&1 != 0
	}
	return c
}

// checkInvariants fails the test if the world is in a state that no commands may
// bring about.
func (w *world) checkInvariants(evs []game.Event) {
	w.t.Helper()
	f := w.Frame()
	bad := func(what string, v any) {
		w.t.Helper()
		w.t.Fatalf("tick %d: %s: %+v", w.Tick(), what, v)
	}
	if f.Tick != w.Tick() {
		bad("frame of another tick", f.Tick)
	}
	playing, last := 0, game.Nobody
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := w.Player(id); ok && p.Team != game.TeamSpectators {
			playing++
		}
	}
	if playing != w.NumPlaying() {
		bad("team sizes", w.NumPlaying())
	}
	for _, p := range f.Players {
		if p.ID <= last || p.Team < game.TeamSpectators || p.Team > game.TeamBlue || p.SpectatorID < game.Nobody ||
			p.SpecMode > game.SpectateFlagBlue {
			bad("player", p)
		}
		last = p.ID
	}
	last = game.Nobody
	for _, c := range f.Characters {
		p, ok := w.Player(c.Player)
		switch {
		case c.Player <= last, !ok, !p.InGame, !p.Alive, p.Team == game.TeamSpectators,
			c.Health < 1 || c.Health > 10, c.Armor < 0 || c.Armor > 10,
			c.Weapon < 0 || c.Weapon >= game.NumWeapons,
			c.Weapon != game.WeaponNinja && (c.Ammo < 0 || c.Ammo > 10),
			c.Emote > game.EmoteBlink, c.Tick > f.Tick, c.Pos.X != c.Pos.X, c.Pos.Y != c.Pos.Y,
			c.HookedPlayer < -1 || c.HookedPlayer > 63, c.HookState < -1 || c.HookState > 5, c.Jumped < 0 || c.Jumped > 3,
			c.Direction < -1 || c.Direction > 1, c.AttackTick > f.Tick:
			bad("character", c)
		}
		last = c.Player
	}
	var used [16384]bool
	use := func(id uint16) {
		if used[id] {
			bad("entity id used twice", id)
		}
		used[id] = true
	}
	for _, p := range f.Projectiles {
		if p.Weapon != game.WeaponGun && p.Weapon != game.WeaponShotgun && p.Weapon != game.WeaponGrenade {
			bad("projectile", p)
		}
		use(p.ID)
	}
	for _, l := range f.Lasers {
		use(l.ID)
	}
	for _, p := range f.Pickups {
		use(p.ID)
	}
	for _, e := range evs {
		if e.Kind < game.EvPlayerEntered || e.Kind > game.EvDamage || e.Player < -3 || e.Player >= game.MaxPlayers ||
			e.Pos.X != e.Pos.X || e.Pos.Y != e.Pos.Y {
			bad("event", e)
		}
	}
	for id := game.PlayerID(-2); id < game.MaxPlayers+1; id++ {
		if v := w.View(id); v.VitalsOf < game.Nobody || v.VitalsOf >= game.MaxPlayers {
			bad("view", v.VitalsOf)
		}
	}
}

// playBytes runs the commands encoded in data in two equal worlds and compares them. One of
// them is saved and restored in between.
func playBytes(t *testing.T, data []byte) {
	var modes = []game.Mode{dm.Mode{}, tdm.Mode{}, ctf.Mode{}, lms.Mode{}, lts.Mode{}}
	r := &reader{b: data}
	pick := int(r.u8())
	start := func() *world {
		return newWorld(t, game.Config{Mode: modes[pick%len(modes)], Terrain: flagMap(), Rules: bots.Rules(), Seed: uint64(pick),
			Mods: []game.Mod{lateThings(), shownThings{}}})
	}
	a, b := start(), start()
	first := join(0, 1, 2, 3, 4)
	a.Step(first)
	b.Step(first)
	for tick := 0; len(r.b) > 0 && tick < 200; tick++ {
		var cmds []game.Command
		for n := r.u8() % 8; n > 0; n-- {
			cmds = append(cmds, r.command())
		}
		a.checkInvariants(a.Step(cmds))
		if tick%7 == 3 {
			b.World = testenv.Must(game.Restore(b.cfg, b.AppendState(nil)))
		}
		b.Step(cmds)
		if x, y := a.Hash(), b.Hash(); x != y {
			t.Fatalf("tick %d: hashes %x and %x", a.Tick(), x, y)
		}
	}
}

func FuzzCommands(f *testing.F) {
	for seed := range 8 {
		r := bots.Rand(seed)
		b := make([]byte, 1000)
		for i := range b {
			b[i] = byte(r.Next())
		}
		f.Add(b)
	}
	f.Fuzz(playBytes)
}

// TestLongRandomPlay mixes bots with commands of any kind.
func TestLongRandomPlay(t *testing.T) {
	testenv.Long(t)
	r := bots.Rand(7)
	for _, mode := range []game.Mode{dm.Mode{}, tdm.Mode{}, ctf.Mode{}, lms.Mode{}, lts.Mode{}} {
		terrain := bots.Arena()
		if mode.Flags()&game.GameFlagFlags != 0 {
			terrain = flagMap()
		}
		w := newWorld(t, game.Config{Mode: mode, Terrain: terrain, Mods: []game.Mod{armed()}, Rules: bots.Rules()})
		b := &bots.Bots{Rand: 9}
		w.Step(join(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
		garbage := make([]byte, 120)
		for range 6000 {
			cmds := append([]game.Command(nil), b.Commands(12)...)
			if r.Next()%8 == 0 {
				for i := range garbage {
					garbage[i] = byte(r.Next())
				}
				// Tuning and rules stay: without gravity the players could not play.
				if c := (&reader{b: garbage}).command(); c.Kind != game.CmdTuneParams && c.Kind != game.CmdSetRules {
					cmds = append(cmds, c)
				}
			}
			if r.Next()%50 == 0 {
				cmds = append(cmds, join(game.PlayerID(r.Next()%12))...)
			}
			w.checkInvariants(w.Step(cmds))
		}
	}
}
