package server_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/servertest"
)

// argumentsOf returns argument lists for parameters as the console declares them, from plain to
// absurd ones.
func argumentsOf(params string) (all []string) {
	words := map[byte][]string{
		'i': {"0", "1", "-1", "63", "64", "2147483647", "-2147483648"},
		'f': {"0", "1e40", "-1e40", "nan", "0.5"},
		's': {"0", "x", "127.0.0.1", "gravity", "%", "../x", `"\"\\"`, strings.Repeat("long", 100)},
		'r': {"0", "x y", "127.0.0.1", `"a;b"`, "\xff\xfe", strings.Repeat("long ", 100)},
	}
	var kinds []byte
	for i, inText := 0, false; i < len(params); i++ {
		switch c := params[i]; {
		case c == '[':
			inText = true
		case c == ']':
			inText = false
		case !inText && words[c] != nil:
			kinds = append(kinds, c)
		}
	}
	all = append(all, "")
	for try := range testenv.Amount(3, 8) {
		for n := 1; n <= len(kinds); n++ {
			line := ""
			for i, k := range kinds[:n] {
				line += " " + words[k][(try+i*3*min(try, 1))%len(words[k])]
			}
			all = append(all, line)
		}
	}
	return all
}

// withArguments returns lines that run the commands with all kinds of arguments.
func withArguments(commands [][2]string) (lines []string) {
	for _, c := range commands {
		for _, args := range argumentsOf(c[1]) {
			lines = append(lines, c[0]+args)
		}
	}
	return lines
}

// everyCommand returns the commands and variables of the console, and the commands of the chat.
func everyCommand(ts *testServer) (lines, typed []string) {
	var commands [][2]string
	who := console.Caller{Flags: console.Server | console.Econ}
	for e, ok := ts.Language().Next("", who); ok; e, ok = ts.Language().Next(e.Name, who) {
		commands = append(commands, [2]string{e.Name, e.Params})
	}
	lines, commands = withArguments(commands), nil
	for c := range ts.Chat().All {
		commands = append(commands, [2]string{"/" + c.Name, c.Params})
	}
	return lines, withArguments(commands)
}

// TestEveryCommandAnywhere runs each command with all kinds of arguments in a configuration, before
// the world exists, and in matches of players of both versions, who type the commands of the chat.
// The matches replay exactly.
func TestEveryCommandAnywhere(t *testing.T) {
	testenv.Long(t)
	for _, mode := range []string{"dm", "ctf; log_dialect ddnet", "ddrace; sv_test_cmds 1"} {
		settings := "sv_map race; sv_warmup 0; sv_gametype " + mode
		var logs servertest.Folder
		cfg := ddraceConfig()
		cfg.Replays = &logs
		ts := newTestServerWith(t, cfg, settings, "sv_replay 1")
		lines, typed := everyCommand(ts)
		said, joined := 0, 0
		var players []*testclient.Client
		for i, line := range lines {
			if i%20 == 0 {
				ts.Execute(settings +
					"; password; unban_all; sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_replay 1; sv_replay_max_size 64")
				for _, kind := range []testclient.Config{client07, client06DDNet} {
					joined++
					players = append(players[max(len(players)-5, 0):], ts.ConnectAs(kind, local(joined)).Join("player"))
				}
			}
			if name, _, _ := strings.Cut(line, " "); name != "shutdown" && name != "drain" { // these end the match
				ts.Execute(line)
			}
			inGame := func(p *testclient.Client) bool { return ts.State(p) == server.ClientInGame }
			if at := slices.IndexFunc(players, inGame); at >= 0 {
				id := ts.ID(players[at])
				text := typed[said%len(typed)]
				if said++; !ts.Chat().Run(id, text) {
					server.QueueRequest(ts.Server, game.Command{Kind: game.CmdSay, Player: id, Target: game.Nobody, Chat: game.ChatAll, Text: text})
				}
			}
			ts.Idle(1, players...)
		}
		ts.Shutdown(ts.Now(), "")
		names, _ := logs.Names()
		ticks := int32(0)
		for _, name := range names {
			res, err := replay.Verify(reader(&logs, name), replay.VerifyConfig{Modes: cfg.Modes.New})
			if err != nil {
				t.Errorf("%s: %v (%+v)", mode, err, res)
			}
			ticks += res.Ticks
		}
		t.Logf("%s: %d lines of the console and %d of the chat in %d matches with %d ticks", mode, len(lines), said, len(names), ticks)
		if said < len(typed) || len(names) < 2 || ticks < int32(len(lines))/2 {
			t.Errorf("%s: %d matches with %d ticks for %d lines", mode, len(names), ticks, len(lines))
		}

		cfg.Replays = nil
		files := cfg.Files.(fstest.MapFS)
		files["every.cfg"] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}
		ts = newTestServerWith(t, cfg, settings, "exec every.cfg", settings, `sv_port 8303; bindaddr 127.0.0.1; log_dialect tw07; sv_mods ""; ec_port 0`)
		if ts.World() == nil {
			t.Errorf("%s: no world", mode)
		}
	}
}
