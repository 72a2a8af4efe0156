package server_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/storage"
)

// commander has players type commands.
type commander struct {
	*testServer
	*rand.Rand
	clients []*testclient.Client
	names   []string
	inputs  []msg7.PlayerInput
}

// newCommander starts a match of DDRace with six players of all kinds, of whom the first one is an
// admin.
func newCommander(t *testing.T, cfg server.Config, seed uint64, settings string) *commander {
	c := &commander{testServer: newTestServerWith(t, cfg, settings), Rand: rand.New(rand.NewPCG(seed, 2))}
	for i, kind := range []testclient.Config{client06DDNet, client07, client06, client06DDNet, client07, client06} {
		name := fmt.Sprint("racer", i)
		c.clients, c.names = append(c.clients, c.EnterAs(kind, ip(i+1), name)), append(c.names, name)
	}
	c.inputs = make([]msg7.PlayerInput, len(c.clients))
	c.clients[0].Login("adminpw")
	return c
}

// run lets the players move at random for some ticks.
func (c *commander) run(ticks int) {
	for range ticks {
		for i, p := range c.clients {
			in := &c.inputs[i]
			if c.IntN(8) == 0 {
				in.Direction, in.Jump, in.Hook = int32(c.IntN(3)-1), c.IntN(3) == 0, c.IntN(2) == 0
			}
			in.Fire = (in.Fire + int32(c.IntN(2))) & 63
			in.TargetX, in.TargetY = int32(c.IntN(401)-200), int32(c.IntN(401)-200)
			p.Input(c.World().Tick()+1, *in)
		}
		c.Step(1)
	}
}

// args makes arguments for a command.
func (c *commander) args(params string) string {
	line := ""
	optional := false
	for i := 0; i < len(params); i++ {
		switch params[i] {
		case '?':
			optional = true
			continue
		case '[':
			i += strings.IndexByte(params[i:], ']')
			continue
		case ' ':
			continue
		}
		if optional && c.IntN(3) == 0 {
			break
		}
		switch {
		case params[i] == 'i' || params[i] == 'f':
			line += fmt.Sprint(" ", c.IntN(7))
		case c.IntN(4) == 0:
			line += " x"
		default:
			line += " " + c.names[c.IntN(len(c.names))]
		}
	}
	return line
}

// say has players type something, one after the other, and lets some ticks pass.
func (c *commander) say(ticks int, line string, players ...int) {
	for _, id := range players {
		c.clients[id].Say(line)
	}
	c.Idle(ticks, c.clients...)
}

// saveAndSwap has players 1 and 2 start, save their team, go on with it and change places.
func (c *commander) saveAndSwap() {
	c.Idle(160, c.clients...) // since nobody changes teams faster
	c.say(2, "/team 5", 1, 2)
	for i := range 30 {
		for _, id := range []int{1, 2} {
			c.clients[id].Input(c.World().Tick()+1, msg7.PlayerInput{Direction: int32(i/29 - 1), TargetX: 1})
		}
		c.Step(1)
	}
	c.say(160, "/save here", 1)
	c.say(20, "/team 5", 1, 2)
	c.say(60, "/load nowhere", 2)
	c.say(60, "/load here", 2)
	c.say(5, "/swap racer2", 1)
	c.say(5, "/swap racer1", 2)
}

// TestAllCommandsAreReplayed has players use all commands of DDRace, in the chat and in the remote
// console, many times. The replay log and the teehistorian of the match verify. With TEEYARD_FULL=1
// it does so twelve times.
func TestAllCommandsAreReplayed(t *testing.T) {
	testenv.OneGoroutine(t)
	testenv.Long(t)
	seeds := uint64(1)
	if testenv.Full() {
		seeds = 12
	}
	for seed := range seeds {
		for _, release := range []int{16, 20} {
			t.Run(fmt.Sprint(release, "-", seed+1), func(t *testing.T) { replayCommands(t, seed+1, release) })
		}
	}
}

func replayCommands(t *testing.T, seed uint64, release int) {
	var logs, histories servertest.Folder
	cfg := ddraceConfig(func(g *twmap.TileLayer) {
		for y := 1; y < 9; y++ {
			g.Set(16, y, 33, 0) // start
			g.Set(36, y, 34, 0) // finish
		}
	})
	dir := t.TempDir()
	cfg.Replays, cfg.Teehistorians = &logs, &histories
	cfg.OpenRanks = func(name string) storage.Ranks {
		return promptRanks{rank.Open(rank.Config{Path: filepath.Join(dir, name)})}
	}
	c := newCommander(t, cfg, seed, "sv_map race; sv_gametype ddrace; sv_tee_historian 1; sv_replay 1; sv_spamprotection 0; sv_test_cmds 1; sv_pauseable 1; "+
		fmt.Sprint("sv_rescue 1; sv_saveswapgames_delay 0; sv_ranks r; sv_rcon_mod_password mod; sv_ddnet_physics ", release))
	c.saveAndSwap()
	if release == 20 {
		c.say(160, "/team 9", 3, 4)
		c.say(5, "/practice", 3, 4)
	}
	chat, console := c.World().ChatCommands(), c.World().ConsoleCommands()
	for range testenv.Amount(3, 6) {
		for _, i := range c.Perm(len(chat) + len(console)) {
			if i < len(chat) {
				c.clients[c.IntN(len(c.clients))].Say("/" + chat[i].Name + c.args(chat[i].Params))
			} else {
				c.clients[0].Rcon(console[i-len(chat)].Name + c.args(console[i-len(chat)].Params))
			}
			c.run(1 + c.IntN(12))
		}
	}
	c.clients[0].Rcon("logout")
	c.clients[1].Login("mod")
	c.run(10)
	c.Shutdown(c.Now(), "")

	names := testenv.Must(histories.Names())
	testenv.Require(t, len(names) == 1, "the files are %q", names)
	file := histories.Content(names[0])
	res := verifyTeehistorian(t, c.testServer, file)
	testenv.Check(t, res.TeeTicks > 10000 && res.End == nil && len(res.Lost) == 0, "%d places, %v, %v", res.TeeTicks, res.End, res.Lost)
	recorded := map[string]int{}
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(file)))
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		recorded[rec.Name+rec.ExtraName()]++
	}
	typed := map[string]int{}
	verified, err := replay.Verify(reader(&logs, testenv.Must(logs.Names())[0]),
		replay.VerifyConfig{Modes: cfg.Modes.New, OnTick: func(_ *game.World, tick *replay.Tick, _ []game.Event) {
			for i := range tick.Commands {
				if k := tick.Commands[i].Kind; k == game.CmdChatCommand || k == game.CmdConsoleCommand {
					name, _, _ := strings.Cut(tick.Commands[i].Text, "\x00")
					typed[name]++
				}
			}
		}})
	testenv.Check(t, err == nil && verified.HashesMatched > 20, "the replay log: %+v, %v", verified, err)
	for _, spec := range append(chat, console...) {
		isRecorded := recorded[spec.Name] > 0 || spec.Name == "kill" // which is only if it kills
		testenv.Check(t, isRecorded && typed[spec.Name] > 0, "%s is %d times in the teehistorian and %d times in the log",
			spec.Name, recorded[spec.Name], typed[spec.Name])
	}
	for what, n := range map[string]int{"save-success": 1, "load-failure": 1, "load-success": 1, "player-swap": 1, "auth-login": 2, "auth-logout": 1} {
		testenv.Check(t, recorded[what] >= n, "%d records of %s", recorded[what], what)
	}
}

// TestRefusedIsNotRecorded has players ask for more than they may, watch each other, change names,
// join the spectators, leave and come back. The teehistorian has only the granted requests, so it
// verifies.
func TestRefusedIsNotRecorded(t *testing.T) {
	testenv.OneGoroutine(t)
	for seed := range uint64(2) {
		var histories servertest.Folder
		cfg := ddraceConfig()
		cfg.Teehistorians = &histories
		c := newCommander(t, cfg, seed, "sv_map race; sv_gametype ddrace; sv_tee_historian 1; sv_pauseable 1; sv_info_change_delay 1; sv_rcon_password adminpw")
		for range 700 {
			i := c.IntN(len(c.clients))
			p, name := c.clients[i], c.names[c.IntN(len(c.names))]
			switch c.IntN(9) {
			case 0, 1, 2:
				p.Say("/pause " + name)
			case 3:
				p.Say("/spec " + name)
			case 4:
				p.Say("/pause")
			case 5:
				at := int32(c.IntN(len(c.clients)+1) - 1)
				p.Send(p.Pick(&msg6.ClSetSpectatorMode{SpectatorID: at}, &msg7.ClSetSpectatorMode{Mode: msg7.SpecMode(c.IntN(2)), SpectatorID: at}))
			case 6:
				if p.Version == client07.Version {
					break
				}
				p.Send(&msg6.ClChangeInfo{Profile: msg6.PlayerProfile{Name: []byte(c.names[i] + "  new"[c.IntN(6):]), Skin: []byte("default")}})
			case 7:
				if team := c.IntN(8) - 1; team < 1 {
					p.Send(p.Pick(&msg6.ClSetTeam{Team: msg6.Team(team)}, &msg7.ClSetTeam{Team: msg7.Team(team)}))
				}
			case 8:
				if c.IntN(4) == 0 {
					p.Close("")
					c.Step(2)
					c.clients[i] = c.EnterAs(p.Config, ip(10+c.IntN(100)), c.names[i])
				}
			}
			c.run(1 + c.IntN(6))
		}
		c.Shutdown(c.Now(), "")
		res := verifyTeehistorian(t, c.testServer, histories.Content(testenv.Must(histories.Names())[0]))
		testenv.Check(t, res.TeeTicks > 5000 && res.End == nil && len(res.Lost) == 0 && len(res.Repeated) == 0,
			"%d places, %v, %v, %v", res.TeeTicks, res.End, res.Lost, res.Repeated)
	}
}

// TestUnlockTileIsFollowed checks that a team which a tile has unlocked is not locked for verify
// either: of those who started, one dies alone.
func TestUnlockTileIsFollowed(t *testing.T) {
	var histories servertest.Folder
	cfg := ddraceConfig(func(g *twmap.TileLayer) {
		for y := 1; y < 9; y++ {
			g.Set(16, y, 33, 0) // start
			g.Set(14, y, 76, 0) // unlocks
		}
	})
	cfg.Teehistorians = &histories
	c := newCommander(t, cfg, 1, "sv_map race; sv_gametype ddrace; sv_tee_historian 1")
	c.Idle(160, c.clients...)
	c.say(20, "/team 5", 1, 2)
	c.say(2, "/lock 1", 2)
	for range 60 {
		for _, id := range []int{1, 2} {
			c.clients[id].Input(c.World().Tick()+1, msg7.PlayerInput{Direction: -1, TargetX: 1})
		}
		c.Step(1)
	}
	unlocked := strings.Join(c.clients[1].Chat, "\n")
	testenv.Require(t, strings.Contains(unlocked, "was unlocked by"), "the tile did nothing: %s", unlocked)
	c.clients[1].Send(&msg7.ClKill{})
	c.Idle(60, c.clients...)
	c.Shutdown(c.Now(), "")
	verifyTeehistorian(t, c.testServer, histories.Content(testenv.Must(histories.Names())[0]))
}

// TestVariablesAreFollowed checks that verify follows the variables that an operator sets during a
// match: the length of freezes, hooks and hits between tees, and teams.
func TestVariablesAreFollowed(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	for seed := range uint64(4) {
		var histories servertest.Folder
		cfg := ddraceConfig(func(g *twmap.TileLayer) { g.Set(15, 8, 9, 0) })
		cfg.Teehistorians = &histories
		c := newCommander(t, cfg, seed, "sv_map race; sv_gametype ddrace; sv_tee_historian 1")
		c.Idle(160, c.clients...)
		for i, line := range []string{"sv_freeze_delay 1", "sv_team 0", "sv_hit 0", "sv_endless_drag 1",
			"sv_freeze_delay 99", "sv_pauseable 1", "sv_team 3", "sv_rescue 1", "sv_team 1", "sv_no_weak_hook_and_bounce 1"} {
			c.Execute(line)
			c.say(5, fmt.Sprint("/team ", i+1), 1, 2)
			c.say(15, "/lock 1", 2)
			c.run(120)
			c.say(5, "/r", 1)
			c.clients[2].Send(&msg7.ClKill{})
			c.Idle(60, c.clients...)
		}
		c.Shutdown(c.Now(), "")
		verifyTeehistorian(t, c.testServer, histories.Content(testenv.Must(histories.Names())[0]))
	}
}
