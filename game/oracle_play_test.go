package game_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
)

// tdm is team deathmatch, as far as needed to compare teams.
type tdm struct{}

func (tdm) Name() string          { return "TDM" }
func (tdm) Flags() game.GameFlags { return game.GameFlagTeams }
func (tdm) Start(*game.Tx)        {}

func (tdm) OnDeath(ctx *game.Ctx, d *game.Death) {
	mode.ScoreDeath(ctx, d, true)
	if d.Killer >= 0 && d.Weapon != game.WeaponGame {
		n := int32(1)
		if ctx.Team(d.Killer) == ctx.Team(d.Victim) {
			n = -1
		}
		ctx.AddTeamScore(ctx.Team(d.Killer), n)
	}
	ctx.DelayRespawn(d.Victim, game.TickRate*ctx.Rules().RespawnDelayTDM)
}

func (tdm) CheckWin(ctx *game.Ctx) game.MatchResult {
	limit, red, blue := ctx.Rules().ScoreLimit, ctx.TeamScore(game.TeamRed), ctx.TeamScore(game.TeamBlue)
	if (limit == 0 || red < limit && blue < limit) && !mode.TimeLimitReached(ctx) {
		return game.MatchContinues
	}
	if red == blue {
		return game.MatchTied
	}
	return game.MatchOver
}

// lms is last man standing, as far as needed to compare rounds.
type lms struct{}

func (lms) Name() string                            { return "LMS" }
func (lms) Flags() game.GameFlags                   { return game.GameFlagSurvival }
func (lms) Start(*game.Tx)                          {}
func (lms) OnDeath(ctx *game.Ctx, d *game.Death)    { mode.ScoreDeath(ctx, d, false) }
func (lms) CheckWin(ctx *game.Ctx) game.MatchResult { return mode.CheckSoloWin(ctx) }

func (lms) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.GiveWeapon(id, game.WeaponShotgun, 10)
	ctx.GiveWeapon(id, game.WeaponGrenade, 10)
	ctx.GiveWeapon(id, game.WeaponLaser, 5)
	ctx.DisableRespawn(id)
}

func (lms) RoundOver(ctx *game.Ctx) bool {
	left, winner := 0, game.Nobody
	for id := range ctx.Players() {
		if ctx.InRound(id) {
			left, winner = left+1, id
			if mode.TimeLimitReached(ctx) {
				ctx.AddScore(id, 1)
			}
		}
	}
	if mode.TimeLimitReached(ctx) {
		return true
	}
	if left == 1 {
		ctx.AddScore(winner, 1)
	}
	return left <= 1
}

// mod is deathmatch with a type name that the original does not know, so that its
// tuning can be changed.
type mod struct{ dm.Mode }

func (mod) Name() string { return "MOD" }

// singleSpawnMap returns a map with a single spawn point: of several, survival modes choose one
// at random.
func singleSpawnMap() game.Terrain {
	return bots.ParseMap(
		"####################",
		"#                  #",
		"#                  #",
		"#        S         #",
		"#                  #",
		"#   ----     ####  #",
		"#                  #",
		"#  ###  #  ##      #",
		"#                 ##",
		"####################",
	)
}

// weaponMap returns a map with many weapons.
func weaponMap() game.Terrain {
	return bots.ParseMap(
		"##############################",
		"#                            #",
		"# S  n     h  a      l     S #",
		"#                            #",
		"#   g  S     S      s   S    #",
		"#   #####  ######-------##   #",
		"#                            #",
		"#        S          S        #",
		"# s  l      g n  g     l  a  #",
		"#                            #",
		"# S s g l h a s g l h a s S h#",
		"####### xx##########xx########",
	)
}

// play generates a random match as commands for the world and as a script for the
// original's rules; see testdata/oracle.
type play struct {
	rand    bots.Rand
	players int
	mode    game.Mode
	chaos   bool // with all requests of players and operators
	rules   game.Rules
	tuning  game.Tuning
	in      [game.MaxPlayers]game.Input
	cmds    []game.Command
	inputs  []game.Command
	script  bytes.Buffer
}

func (p *play) n(k int) int { return p.rand.Intn(k) }

func (p *play) flip() bool { return p.n(2) == 0 }

func (p *play) add(c game.Command, line string, args ...any) {
	p.cmds = append(p.cmds, c)
	fmt.Fprintf(&p.script, line+"\n", args...)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// start chooses rules, writes them and the map to the script, and creates the world.
func (p *play) start(t game.Terrain) (*game.World, error) {
	teams := p.mode.Flags()&game.GameFlagTeams != 0
	if teams {
		for i := range t.Tiles {
			if t.Tiles[i] == 192 && p.n(3) > 0 {
				t.Tiles[i] = uint8(193 + p.n(2))
			}
		}
	}
	fmt.Fprintf(&p.script, "MAP %d %d\n", t.Width, t.Height)
	for _, tile := range t.Tiles {
		fmt.Fprintf(&p.script, "%d ", tile)
	}
	r := game.DefaultRules()
	r.MaxClients, r.PlayerSlots, r.PureTuning = 64, 16, true
	r.ScoreLimit, r.TimeLimit, r.InactiveTime = 15, 2, 1
	r.Countdown, r.SpamProtection, r.ReadyMode = int32(p.n(3)), p.flip(), p.flip()
	r.TeamDamage = teams && p.flip()
	if p.mode.Name() == "MOD" {
		r.PureTuning = false
	}
	p.rules = r
	p.tuning = physics.DefaultTuning()
	fmt.Fprintf(&p.script, "\nC sv_gametype %s\n", p.mode.Name())
	for _, v := range []struct {
		name  string
		value int32
	}{
		{"max_clients", r.MaxClients}, {"player_slots", r.PlayerSlots}, {"scorelimit", r.ScoreLimit},
		{"timelimit", r.TimeLimit}, {"countdown", r.Countdown}, {"spamprotection", int32(boolToInt(r.SpamProtection))},
		{"player_ready_mode", int32(boolToInt(r.ReadyMode))}, {"inactivekick_time", r.InactiveTime},
		{"teambalance_time", r.TeamBalanceTime}, {"teamdamage", int32(boolToInt(r.TeamDamage))},
	} {
		fmt.Fprintf(&p.script, "C sv_%s %d\n", v.name, v.value)
	}
	p.script.WriteString("X\n")
	return game.New(game.Config{Terrain: t, Mode: p.mode, Rules: r})
}

// tick returns the commands of the next tick.
func (p *play) tick(w *game.World) []game.Command {
	p.cmds, p.inputs = p.cmds[:0], p.inputs[:0]
	for id := range game.PlayerID(p.players) {
		info, seated := w.Player(id)
		switch {
		case !seated:
			if w.Tick() < 2 || p.n(50) == 0 {
				p.join(id)
			}
		case !info.InGame:
			p.enterOrLeave(id, info.Profile.Name != "")
		default:
			p.changeInput(id, w.Frame())
			if p.chaos {
				p.request(id, w.Frame())
			}
		}
	}
	if p.chaos {
		p.operator()
	}
	p.script.WriteString("T\n")
	return append(p.cmds, p.inputs...)
}

func (p *play) join(id game.PlayerID) {
	spec := p.n(6) == 0
	p.add(game.Command{Kind: game.CmdJoin, Player: id, AsSpectator: spec}, "J %d %d", id, boolToInt(spec))
	if p.flip() {
		p.profile(id)
		p.add(game.Command{Kind: game.CmdEnterGame, Player: id}, "E %d", id)
	}
	p.in[id] = game.Input{TargetX: 1}
}

func (p *play) profile(id game.PlayerID) {
	p.add(game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: "name"}}, "P %d name", id)
}

func (p *play) enterOrLeave(id game.PlayerID, known bool) {
	switch {
	case p.n(10) == 0:
		if !known {
			p.profile(id)
		}
		p.add(game.Command{Kind: game.CmdEnterGame, Player: id}, "E %d", id)
	case p.n(100) == 0:
		p.add(game.Command{Kind: game.CmdLeave, Player: id}, "L %d", id)
	}
}

// changeInput changes a player's input and sends it in most cases; inputs can get lost.
func (p *play) changeInput(id game.PlayerID, f *game.Frame) {
	in := &p.in[id]
	if p.n(8) == 0 {
		in.Direction = int32(p.n(3)) - 1
		in.Jump, in.Hook = p.n(3) == 0, p.n(3) == 0
	}
	if p.n(3) == 0 {
		in.TargetX, in.TargetY = int32(p.n(801))-400, int32(p.n(801))-400
		if len(f.Characters) > 0 && p.flip() {
			p.aimAtCharacter(id, in, f)
		}
	}
	if p.n(5) == 0 {
		in.Fire = (in.Fire + 1) & 63
	}
	if in.WantedWeapon = 0; p.n(40) == 0 {
		in.WantedWeapon = int32(p.n(6))
	}
	if p.n(40) == 0 {
		in.NextWeapon = (in.NextWeapon + int32(p.n(4))) & 63
	}
	if p.n(40) == 0 {
		in.PrevWeapon = (in.PrevWeapon + int32(p.n(4))) & 63
	}
	if in.Flags&game.PlayerFlagChatting != 0 && p.n(10) == 0 || p.n(800) == 0 {
		in.Flags ^= game.PlayerFlagChatting
	}
	line := fmt.Sprintf("%d %d %d %d %d %d %d %d %d %d", in.Direction, in.TargetX, in.TargetY, boolToInt(in.Jump),
		in.Fire, boolToInt(in.Hook), in.Flags, in.WantedWeapon, in.NextWeapon, in.PrevWeapon)
	if p.n(10) != 0 {
		p.add(game.Command{Kind: game.CmdDirectInput, Player: id, Input: *in}, "D %d %s", id, line)
	}
	if p.n(10) != 0 {
		p.inputs = append(p.inputs, game.Command{Kind: game.CmdInput, Player: id, Input: *in})
		fmt.Fprintf(&p.script, "I %d %s\n", id, line)
	}
}

// aimAtCharacter aims at a character, or moves the view of a spectator there.
func (p *play) aimAtCharacter(id game.PlayerID, in *game.Input, f *game.Frame) {
	at := f.Characters[p.n(len(f.Characters))]
	in.TargetX, in.TargetY = int32(at.Pos.X), int32(at.Pos.Y)
	for _, c := range f.Characters {
		if c.Player == id {
			in.TargetX -= int32(c.Pos.X)
			in.TargetY -= int32(c.Pos.Y)
		}
	}
}

// request sends a random request of a player.
func (p *play) request(id game.PlayerID, f *game.Frame) {
	switch p.n(600) {
	case 0:
		p.add(game.Command{Kind: game.CmdKill, Player: id}, "K %d", id)
	case 1:
		t := p.n(3) - 1
		p.add(game.Command{Kind: game.CmdSetTeam, Player: id, Team: game.Team(t)}, "M %d %d", id, t)
	case 2, 3, 4:
		m, t := p.n(4), p.n(p.players+1)-1
		if m == int(game.SpectatePlayer) {
			t = max(t, 0) // the original reads beyond its players for -1
		}
		p.add(game.Command{Kind: game.CmdSpectate, Player: id, Spectate: game.SpectateMode(m), Target: game.PlayerID(t)},
			"S %d %d %d", id, m, t)
	case 5:
		e := p.n(16)
		p.add(game.Command{Kind: game.CmdEmoticon, Player: id, Value: int32(e)}, "O %d %d", id, e)
	case 6:
		p.add(game.Command{Kind: game.CmdReady, Player: id}, "R %d", id)
	case 7:
		s, m := strings.Repeat("ab_", 1+p.n(20)), 1+p.n(2)
		p.add(game.Command{Kind: game.CmdSay, Player: id, Chat: game.ChatMode(m), Target: game.Nobody, Text: s},
			"Y %d %d -1 %s", id, m, s)
	case 8:
		// When a player leaves, the original credits their lasers to the next player
		// with that id, or crashes.
		if p.n(3) == 0 && len(f.Lasers) == 0 {
			p.add(game.Command{Kind: game.CmdLeave, Player: id}, "L %d", id)
		}
	}
}

// operator sends a random console command.
func (p *play) operator() {
	switch p.n(1500) {
	case 0:
		s := p.n(4) - 1
		p.add(game.Command{Kind: game.CmdPause, Value: int32(s)}, "C pause %d", s)
	case 1, 2:
		p.add(game.Command{Kind: game.CmdPause}, "C pause 0")
	case 3:
		s := p.n(5) - 1
		p.add(game.Command{Kind: game.CmdRestart, Value: int32(s)}, "C restart %d", s)
	case 4:
		id, t, m := p.n(p.players), p.n(3)-1, p.n(2)
		p.add(game.Command{Kind: game.CmdForceTeam, Player: game.PlayerID(id), Team: game.Team(t), Value: int32(m)},
			"C set_team %d %d %d", id, t, m)
	case 5:
		p.add(game.Command{Kind: game.CmdSwapTeams}, "C swap_teams")
	case 6:
		p.add(game.Command{Kind: game.CmdLockTeams}, "C lock_teams")
	case 7:
		p.add(game.Command{Kind: game.CmdBalanceTeams}, "C force_teambalance")
	case 8:
		t := p.n(3) - 1
		p.add(game.Command{Kind: game.CmdForceTeam, Player: game.Nobody, Team: game.Team(t)}, "C set_team_all %d", t)
	case 9:
		p.rules.ScoreLimit = int32(3 + p.n(20))
		r := p.rules
		p.add(game.Command{Kind: game.CmdSetRules, Rules: &r}, "C sv_scorelimit %d", r.ScoreLimit)
	case 10:
		p.rules.Countdown = int32(p.n(3)) - 1
		r := p.rules
		p.add(game.Command{Kind: game.CmdSetRules, Rules: &r}, "C sv_countdown %d", r.Countdown)
	case 11, 12, 13, 14, 15, 16, 17, 18, 19:
		def := physics.DefaultTuning()
		i := p.n(physics.NumTuneParams)
		percent := 50 + p.n(100)
		text := fmt.Sprintf("%.2f", def.At(i)*float32(percent)/100)
		value, _ := strconv.ParseFloat(text, 32)
		p.tuning.SetAt(i, float32(value))
		t := p.tuning
		p.add(game.Command{Kind: game.CmdTuneParams, Tuning: &t}, "C tune %s %s", physics.TuneParamName(i), text)
	}
}
