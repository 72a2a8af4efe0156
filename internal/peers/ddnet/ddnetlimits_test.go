//go:build peers

package ddnet

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// limitsScript are the actions of an operator and two players. "rcon LINE" is the operator's. A
// number is a player, followed by a line of chat, "walk" and a column, or "vote" with an option and
// a reason.
var limitsScript = []string{
	// Values in force, including the map's own settings.
	"rcon sv_team", "rcon sv_hit", "rcon sv_freeze_delay", "rcon toggle sv_hit 0 1", "wait", "rcon sv_hit", "rcon sv_hit 0", "wait", "rcon sv_hit",
	"rcon sv_spam_mute_duration", "rcon sv_chat_penalty", "rcon sv_chat_threshold", "rcon sv_chat_delay", "rcon sv_chat_initial_delay",
	// Hits and teams under sv_team 2.
	"0 /settings teams", "0 /settings hitting", "wait", "0 /team", "0 /team 0", "wait", fmt.Sprint("0 walk ", atStart), "wait", "wait", "wait",
	"0 /team 5", "wait", "wait", "wait", fmt.Sprint("0 walk ", atStart), "wait", "wait", "wait",
	// Bans.
	"rcon ban 20.1.2.3 525600 a year", "rcon ban 20.1.2.4 525601 more", "rcon unban_all",
	// Mutes, and the attempts of muted players.
	"rcon mutes", "rcon vote_mutes", "rcon vote_mute 2 100", "rcon vote_mutes", "rcon vote_unmute 2", "rcon muteid 2 3000 spam", "rcon mutes", "wait",
	"1 hello", "wait", "1 /me waves", "wait", "1 /w \"racer 0\" hello", "wait",
	"1 vote fun because", "wait", "1 rename Anna", "wait", "1 /team", "rcon unmute 0", "rcon mutes", "wait",
	"1 /me waves", "wait", "1 hello", "wait",
	// Too many lines in a short time.
	"1 line", "tick", "1 line", "tick", "1 line", "tick", "1 line", "tick", "1 line", "tick", "1 line", "wait", "rcon mutes", "rcon unmute 0", "wait", "wait",
	// Lines that are too long.
	"0 " + strings.Repeat("x", 300), "wait", "wait", "wait", "wait", "0 " + strings.Repeat("y", 200), "wait", "wait", "wait", "wait",
	// Votes.
	"rcon sv_vote_yes_percentage 100", "rcon sv_vote_yes_percentage", "0 vote fun because", "wait",
	// Logins.
	"rcon sv_rcon_mod_password one", "rcon auth_list", "rcon auth_add alice mod two", "rcon auth_list", "rcon auth_change default_mod mod three",
	"rcon auth_list",
	"rcon auth_change default_mod helper four", "rcon auth_list", "rcon auth_change_p default_mod mod 00112233445566778899aabbccddeeff 0011223344556677",
	"rcon auth_list",
	"rcon auth_add default_mod mod x", "rcon auth_remove default_mod", "rcon auth_list", "rcon auth_remove default_mod", "rcon auth_change default_mod mod x",
	"rcon auth_remove alice", "rcon auth_list",
}

// namelessScript makes players join with names that are empty or invisible.
var namelessScript = []string{"join ", "join  \u200b", "join \u3164"}

// TestLimitsAsDDNet runs the same script on DDNet-Server 16.4 and on our server with --ddnet, and
// compares the lines that the operator and the players get.
func TestLimitsAsDDNet(t *testing.T) {
	t.Parallel()
	file := testenv.Must(twmap.WithSettings(teamsMap(t), []string{"tune player_collision 0", "sv_team 2", "sv_hit 0", "sv_freeze_delay 5"}))
	const settings = "sv_map teams; sv_spamprotection 1; sv_rcon_password pw; sv_slash_me 1; sv_vote_delay 0; sv_vote_kick 0; add_vote fun sv_motd"
	folder := t.TempDir()
	peers.WriteFile(t, filepath.Join(folder, "maps", "teams.map"), file)
	addr := peers.FreeAddr(t)
	ours := &peers.Server{Addr: addr}
	ours.Process = peers.Start(t, folder, []string{"HOME=" + folder, "XDG_DATA_HOME="}, peers.Program(t), "serve", "--ddnet", "--dir", ".",
		peers.CommonSettings, "bindaddr 127.0.0.1", peers.PortSetting(addr), settings)
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	peers.WriteFile(t, filepath.Join(data, "maps", "teams.map"), file)
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // replaces Debian's
	theirs := peers.StartDDNetIn(t, home, settings)
	for _, script := range [][]string{limitsScript, namelessScript} {
		answers := make(chan []string, 1)
		go func() { answers <- playLimits(t, theirs, script) }()
		got := playLimits(t, ours, script)
		want := <-answers
		t.Logf("theirs:\n%s", strings.Join(want, "\n"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-DDNet-Server, +ours):\n%s", diff)
		}
	}
}

var (
	rconTime    = regexp.MustCompile(`^(\[[\d:]+\]|[\d-]+ [\d:]+ [A-Z]) *`)
	secondsLeft = regexp.MustCompile(`\d+ (seconds left|seconds\.$)`)
	clientAddr  = regexp.MustCompile(`127\.0\.4\.\d+(:\d+)?`)
)

// greetings are the beginnings of the lines with which servers greet a new player.
var greetings = []string{"DDraceNetwork Mod.", "please visit", "Do you know someone who uses a bot", "Welcome to my server"}

// limitsPlayer is a player in playLimits, with the events that it got.
type limitsPlayer struct {
	*racer
	heard chan string
}

func playLimits(t *testing.T, s *peers.Server, script []string) (all []string) {
	var players []*limitsPlayer
	operator := joinRacerAs(t, s, "operator")
	testenv.NoError(t, operator.RconLogin("pw"))
	join := func(name string) *limitsPlayer {
		p := &limitsPlayer{heard: make(chan string, 1000)}
		p.racer = joinRacerHearing(t, s, name, func(e event.Event) {
			switch e := e.(type) {
			case event.Chat:
				who := "the server"
				if e.From.Name != "" {
					who = e.From.Name
				} else if slices.ContainsFunc(greetings, func(g string) bool { return strings.HasPrefix(e.Text, g) }) {
					break
				}
				p.heard <- who + ": " + e.Text
			case event.VoteStart:
				p.heard <- "a vote runs"
			case event.VoteEnd:
				p.heard <- "a vote ends"
			}
		})
		return p
	}
	for i := range 2 {
		if len(script) > 10 {
			players = append(players, join(fmt.Sprintf("racer %d", i)))
		}
	}
	hear := func(silence time.Duration) {
		time.Sleep(silence)
		for i, p := range players {
			for len(p.heard) > 0 {
				line := raceTime.ReplaceAllString(<-p.heard, "TIME $1")
				all = append(all, fmt.Sprintf("%d hears %s", i, secondsLeft.ReplaceAllString(line, "N $1")))
			}
		}
	}
	hear(2 * time.Second)
	all = nil // forget the greetings
	for _, step := range script {
		if len(step) < 100 {
			all = append(all, "> "+step)
		}
		who, what, _ := strings.Cut(step, " ")
		verb, rest, _ := strings.Cut(what, " ")
		switch {
		case who == "wait":
			hear(1500 * time.Millisecond)
			continue
		case who == "tick":
			hear(1020 * time.Millisecond)
			continue
		case who == "join":
			players = append(players, join(what))
			hear(time.Second)
			continue
		case who == "rcon":
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			lines, err := operator.RconRun(ctx, what)
			cancel()
			testenv.NoError(t, err)
			for _, line := range lines {
				if strings.HasPrefix(line, "refused: ") {
					continue // only our server has these lines, for programs
				}
				line = clientAddr.ReplaceAllString(rconTime.ReplaceAllString(line, ""), "ADDR")
				if system, text, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "Value") && !strings.ContainsAny(system, " ") {
					line = text
				}
				if strings.HasPrefix(line, "ClientID=") || strings.HasPrefix(line, "*** ") || strings.HasPrefix(line, "addr=") ||
					strings.HasPrefix(line, "load player") {
					continue // log lines that are not answers
				}
				all = append(all, "  "+secondsLeft.ReplaceAllString(line, "N $1"))
			}
			hear(100 * time.Millisecond)
			continue
		}
		p := players[who[0]-'0']
		switch verb {
		case "walk":
			var goal int32
			fmt.Sscan(rest, &goal)
			p.goal.Store(goal)
			time.Sleep(1500 * time.Millisecond)
			p.goal.Store(0)
		case "vote":
			option, reason, _ := strings.Cut(rest, " ")
			testenv.NoError(t, p.VoteOption(option, reason))
		case "rename":
			testenv.NoError(t, p.SetProfile(game.Profile{Name: rest}))
		default:
			testenv.NoError(t, p.Say(what))
		}
		hear(300 * time.Millisecond)
	}
	return all
}
