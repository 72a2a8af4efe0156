package game_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
)

// mod is deathmatch with a type name that the original does not know, so that its
// tuning can be changed.
type mod struct{ dm.Mode }

func (mod) Name() string { return "MOD" }

// flagMap returns a small map with flags, and death tiles near them.
func flagMap() game.Terrain {
	return bots.ParseMap(
		"######################################",
		"#                                    #",
		"#  R        s      h      g       B  #",
		"#                                    #",
		"#    R   #####  ------  #####   B    #",
		"#                                    #",
		"#             R  S   B               #",
		"# 1            ########            2 #",
		"#                                    #",
		"#######  ##  ###      ###  ##  #######",
		"#     #                        #     #",
		"#    R   l        n        l   B     #",
		"###########xx########xx###############",
	)
}

// redFlagMap returns a map with one flag only, in a hole that it falls into when it is
// dropped beside.
func redFlagMap() game.Terrain {
	return bots.ParseMap(
		"####################",
		"#                  #",
		"#                  #",
		"#     S   1   S    #",
		"#                  #",
		"# #### ##   ## ### #",
		"# #             ## #",
		"# #  ##     #xx### #",
		"#S               S #",
		"####################",
	)
}

// survivalMap returns a map for short rounds.
func survivalMap() game.Terrain {
	return bots.ParseMap(
		"####################",
		"#  S            S  #",
		"#        h         #",
		"#    S       S     #",
		"#                  #",
		"#   ----     ####  #",
		"# S        s     S #",
		"#  ###  #  ##      #",
		"#                 ##",
		"########xx##########",
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
	idle    bool // nobody does anything
	rules   game.Rules
	tuning  game.Tuning
	cfg     game.Config
	in      [game.MaxPlayers]game.Input
	cmds    []game.Command
	inputs  []game.Command
	script  bytes.Buffer
}

func (p *play) n(k int) int { return p.rand.Intn(k) }

func (p *play) flip() bool { return p.n(2) == 0 }

func (p *play) oneOf(values ...int32) int32 { return values[p.n(len(values))] }

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
	r.ScoreLimit, r.TimeLimit, r.InactiveTime = p.oneOf(0, 3, 15, 15, 250), p.oneOf(0, 1, 2), 1
	r.Countdown, r.SpamProtection, r.ReadyMode = int32(p.n(3)), p.flip(), p.flip()
	r.TeamDamage = teams && p.flip()
	r.StrictSpectate, r.MatchSwap, r.Powerups = p.flip(), p.flip(), p.flip()
	r.RespawnDelayTDM, r.TeamBalanceTime, r.InactiveAction = p.oneOf(0, 1, 3), p.oneOf(0, 1), p.oneOf(1, 2, 3)
	r.MapRotation, r.MatchesPerMap = p.flip(), p.oneOf(1, 2)
	if p.chaos {
		r.TournamentMode, r.Warmup = p.oneOf(0, 0, 0, 0, 1, 2), p.oneOf(0, 0, 0, 2, -1)
	}
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
		{"strict_spectate_mode", int32(boolToInt(r.StrictSpectate))}, {"match_swap", int32(boolToInt(r.MatchSwap))},
		{"powerups", int32(boolToInt(r.Powerups))}, {"respawn_delay_tdm", r.RespawnDelayTDM},
		{"inactivekick", r.InactiveAction}, {"matches_per_map", r.MatchesPerMap},
		{"tournament_mode", r.TournamentMode}, {"warmup", r.Warmup},
	} {
		fmt.Fprintf(&p.script, "C sv_%s %d\n", v.name, v.value)
	}
	if r.MapRotation {
		p.script.WriteString("C sv_maprotation a;b\n")
	}
	p.script.WriteString("X\n")
	p.cfg = game.Config{Terrain: t, Mode: p.mode, Rules: r}
	return game.New(p.cfg)
}

// tick returns the commands of the next tick.
func (p *play) tick(w *game.World) []game.Command {
	p.cmds, p.inputs = p.cmds[:0], p.inputs[:0]
	for id := range game.PlayerID(p.players) {
		if p.idle {
			break
		}
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
	if p.chaos && !p.idle {
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
		if f.Game.Flags&game.GameFlagFlags != 0 && p.n(4) > 0 {
			p.runToFlag(id, in, f)
		}
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

// runToFlag runs to the other team's flag, or with it to the own one.
func (p *play) runToFlag(id game.PlayerID, in *game.Input, f *game.Frame) {
	team := game.TeamRed
	for i := range f.Players {
		if f.Players[i].ID == id {
			team = f.Players[i].Team
		}
	}
	to := team ^ 1
	if f.Game.FlagCarrier[to&1] == int32(id) {
		to = team
	}
	for _, c := range f.Characters {
		for _, flag := range f.Flags {
			if c.Player == id && flag.Team == to {
				in.Direction = 1
				if flag.X < c.X {
					in.Direction = -1
				}
			}
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
		s, m, to := strings.Repeat("ab_", 1+p.n(20)), 1+p.n(3), game.Nobody
		if m == int(game.ChatWhisper) {
			to = f.Players[p.n(len(f.Players))].ID
		}
		p.add(game.Command{Kind: game.CmdSay, Player: id, Chat: game.ChatMode(m), Target: to, Text: s},
			"Y %d %d %d %s", id, m, to, s)
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
		p.setRule("sv_scorelimit", &p.rules.ScoreLimit, int32(3+p.n(20)))
	case 10:
		p.setRule("sv_countdown", &p.rules.Countdown, int32(p.n(3))-1)
	case 20:
		p.add(game.Command{Kind: game.CmdShuffleTeams}, "C shuffle_teams")
	case 21:
		p.setRule("sv_tournament_mode", &p.rules.TournamentMode, p.oneOf(0, 0, 1, 2))
	case 22:
		p.setRule("sv_player_slots", &p.rules.PlayerSlots, int32(2+p.n(15)))
	case 23:
		p.setRule("sv_timelimit", &p.rules.TimeLimit, int32(p.n(3)))
	case 24:
		p.setRule("sv_matches_per_map", &p.rules.MatchesPerMap, int32(1+p.n(3)))
	case 25:
		p.add(game.Command{Kind: game.CmdEndMatch}, "C change_map c")
	case 26:
		p.setSwitch("sv_player_ready_mode", &p.rules.ReadyMode)
	case 27:
		p.setSwitch("sv_strict_spectate_mode", &p.rules.StrictSpectate)
	case 28:
		p.setSwitch("sv_teamdamage", &p.rules.TeamDamage)
	case 29:
		p.setRule("sv_teambalance_time", &p.rules.TeamBalanceTime, int32(p.n(2)))
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

// setRule changes a rule; value points into p.rules.
func (p *play) setRule(name string, value *int32, to int32) {
	if *value == to {
		return // TellLimits, which the server sets then, is not for all rules
	}
	*value = to
	r := p.rules
	p.add(game.Command{Kind: game.CmdSetRules, Rules: &r}, "C %s %d", name, to)
}

// setSwitch toggles a rule; value points into p.rules.
func (p *play) setSwitch(name string, value *bool) {
	*value = !*value
	r := p.rules
	p.add(game.Command{Kind: game.CmdSetRules, Rules: &r}, "C %s %d", name, boolToInt(*value))
}
