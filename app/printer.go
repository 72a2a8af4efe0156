package app

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// printer prints events.
type printer interface {
	printEvent(e event.Event)
	printScores(rows []client.ScoreboardRow)
	// printPresent prints the other players in the game.
	printPresent(rows []client.ScoreboardRow, self game.PlayerID)
	printList(what string, lines []string)
}

// teamText describes in a verb what a player does in team t.
func teamText(t game.Team, hasTeams bool) string {
	switch {
	case t == game.TeamSpectators:
		return "watches"
	case !hasTeams:
		return "plays"
	case t == game.TeamBlue:
		return "is in the blue team"
	}
	return "is in the red team"
}

// textPrinter prints a line for each event that a reader would want to see.
type textPrinter struct {
	w        io.Writer
	hasTeams func() bool // reports whether the game has teams; nil if unknown
}

func (p *textPrinter) printf(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *textPrinter) printEvent(e event.Event) {
	switch e := e.(type) {
	case event.Entered:
		p.printf("* in the game as %s, map %s", e.Self.Name, e.Map)
	case event.Download:
		if e.Done == e.Size {
			p.printf("* map %s: %d kB", e.Map, e.Size>>10)
		}
	case event.Disconnected:
		if e.Err != nil && e.Again != 0 {
			p.printf("* %s; again in %v", e.Text, e.Again)
		}
	case event.ServerInfo:
		p.printf("* %s: %s on %s, version %s", e.Name, e.GameType, e.Map, e.Version)
	case event.Motd:
		p.printf("* %s", strings.ReplaceAll(e.Text, "\n", "\n* "))
	case event.Chat:
		switch {
		case e.From.ID == game.Nobody:
			p.printf("*** %s", e.Text)
		case e.Mode == game.ChatWhisper:
			p.printf("[%s -> %s] %s", e.From.Name, e.To.Name, e.Text)
		case e.Mode == game.ChatTeam:
			p.printf("(%s): %s", e.From.Name, e.Text)
		default:
			p.printf("%s: %s", e.From.Name, e.Text)
		}
	case event.Kill:
		switch {
		case e.Weapon == game.WeaponGame:
		case e.Killer.ID == e.Victim.ID:
			p.printf("+ %s died (%s)", e.Victim.Name, e.Weapon)
		default:
			p.printf("+ %s killed %s (%s)", nameOrSomebody(e.Killer.Name), e.Victim.Name, e.Weapon)
		}
	case event.Joined:
		if !e.Known && !e.Quiet {
			p.printf("* %s joined", e.Player.Name)
		}
	case event.Left:
		switch {
		case e.Quiet:
		case e.Reason != "":
			p.printf("* %s left (%s)", e.Player.Name, e.Reason)
		default:
			p.printf("* %s left", e.Player.Name)
		}
	case event.TeamChange:
		if !e.Quiet {
			p.printf("* %s %s now", e.Player.Name, teamText(e.Player.Team, p.hasTeams == nil || p.hasTeams()))
		}
	case event.Emoticon:
		p.printf("* %s shows %s", e.Player.Name, e.Emoticon)
	case event.Notice:
		p.printf("* %s", e.Text)
	case event.Broadcast:
		p.printf("! %s", strings.ReplaceAll(e.Text, "\n", "\n! "))
	case event.RaceFinish:
		p.printf("* %s finished in %.3f s%s", e.Player.Name, float64(e.Time)/1000, raceDetails(e))
	case event.Checkpoint:
		p.printf("* checkpoint: %+.2f s", float64(e.Diff)/1000)
	case event.VoteStart:
		p.printf("? %s called a vote: %s (%s); /vote yes or no within %v", nameOrSomebody(e.By.Name), e.What, e.Reason, e.Time)
	case event.Alert:
		p.printf("! %s", strings.ReplaceAll(e.Text, "\n", "\n! "))
	case event.Redirect:
		p.printf("* the server asks to go to its port %d", e.Port)
	case event.TeamSave:
		p.printf("* saving the team of %s: %s", e.Members, strings.TrimSpace(e.State+" "+e.Error))
	case event.VoteCount:
		p.printf("? %d yes, %d no, %d open", e.Yes, e.No, e.Pass)
	case event.VoteEnd:
		switch {
		case e.Passed:
			p.printf("? the vote passed")
		case e.Aborted:
			p.printf("? the vote was cancelled")
		default:
			p.printf("? the vote failed")
		}
	case event.RconAuth:
		p.printf("> remote console: %s", map[bool]string{true: "logged in", false: "logged out"}[e.On])
	case event.RconLine:
		p.printf("> %s", e.Text)
	}
}

func nameOrSomebody(name string) string {
	if name == "" {
		return "somebody"
	}
	return name
}

func (p *textPrinter) printScores(rows []client.ScoreboardRow) {
	for _, r := range rows {
		score := fmt.Sprint(r.Score)
		switch {
		case r.Timed && r.Score < 0:
			score = "-"
		case r.Timed:
			score = fmt.Sprintf("%d:%02d", r.Score/60_000, r.Score/1000%60)
		}
		if r.Team == game.TeamSpectators {
			score = "watches"
		}
		team := ""
		if r.DDRaceTeam != 0 {
			team = fmt.Sprintf("  team %d", r.DDRaceTeam)
		}
		p.printf("%8s  %-15s %-11s %4d ms%s", score, r.Name, r.Clan, r.Latency.Milliseconds(), team)
	}
}

func (p *textPrinter) printPresent(rows []client.ScoreboardRow, self game.PlayerID) {
	var playing, watching []string
	for _, r := range rows {
		switch {
		case r.ID == self:
		case r.Team == game.TeamSpectators:
			watching = append(watching, r.Name)
		default:
			playing = append(playing, r.Name)
		}
	}
	if len(playing) > 0 {
		p.printf("* playing: %s", strings.Join(playing, ", "))
	}
	if len(watching) > 0 {
		p.printf("* watching: %s", strings.Join(watching, ", "))
	}
	if len(playing)+len(watching) == 0 {
		p.printf("* no other players")
	}
}

func (p *textPrinter) printList(_ string, lines []string) {
	for _, l := range lines {
		p.printf("  %s", l)
	}
}

// jsonPrinter prints a JSON object for each event.
type jsonPrinter struct {
	w io.Writer
	// stamp returns the fields with the time of an event. The default is the present time.
	stamp func() string
}

// printObject prints an object with the time, the name of the event and the fields of v.
func (p *jsonPrinter) printObject(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte("{}")
	}
	comma := ","
	if string(b) == "{}" {
		comma = ""
	}
	when := ""
	if p.stamp != nil {
		when = p.stamp()
	} else {
		when = `"time":"` + time.Now().UTC().Format(time.RFC3339Nano) + `"`
	}
	fmt.Fprintf(p.w, `{%s,"event":"%s"%s%s`+"\n", when, name, comma, b[1:])
}

func (p *jsonPrinter) printEvent(e event.Event) {
	p.printObject(event.Name(e), e)
}

func (p *jsonPrinter) printScores(rows []client.ScoreboardRow) {
	p.printObject("scores", map[string]any{"players": rows})
}

// printPresent prints nothing, since each player causes an event "joined".
func (p *jsonPrinter) printPresent([]client.ScoreboardRow, game.PlayerID) {}

func (p *jsonPrinter) printList(what string, lines []string) {
	p.printObject("list", map[string]any{"of": what, "lines": lines})
}

// raceDetails returns remarks on a player's finish, such as a record.
func raceDetails(e event.RaceFinish) string {
	details := ""
	if e.Diff != 0 {
		details = fmt.Sprintf(" (%+.2f s)", float64(e.Diff)/1000)
	}
	switch {
	case e.Record:
		details += ", the best time"
	case e.Personal:
		details += ", their best time"
	}
	return details
}
