package server

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

// announcements are the lines that the server says from time to time.
type announcements struct {
	next    conn.Time // 0 before it is known
	reading later.Job[[]string]
	said    int // the line that was said last, from 1
}

// tickAnnouncements says a line of the file of sv_announcement_filename when that is due. The file
// is read each time, beside the game, so that it can be changed.
func (s *Server) tickAnnouncements(now conn.Time) {
	a := &s.announcements
	if lines, ok := a.reading.Take(); ok {
		s.announce(lines)
		return
	}
	switch {
	case s.settings.AnnouncementFile == "":
	case a.next == 0:
		a.next = now.Add(time.Duration(s.settings.AnnouncementInterval) * time.Minute)
	case now >= a.next && !a.reading.Running():
		a.next = 0
		if !s.anyInGame() {
			return
		}
		name := s.settings.AnnouncementFile
		a.reading.Start(s.cfg.Background, func() []string {
			content, _ := console.ReadFile(s.cfg.Files, name) // most servers have none
			return announcedLines(content)
		})
	}
}

// announcedLines returns the lines of a file that are not empty and do not begin with #.
func announcedLines(content []byte) (lines []string) {
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(safetext.Line(line)); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// announce says one of the lines: the next one, or a random one that is not the last.
func (s *Server) announce(lines []string) {
	a := &s.announcements
	switch n := len(lines); {
	case n == 0:
		return
	case s.settings.AnnouncementRandom != 0 && n > 1 && a.said >= 1 && a.said <= n:
		a.said = (a.said+rand.IntN(n-1))%n + 1
	case s.settings.AnnouncementRandom != 0:
		a.said = rand.IntN(n) + 1
	default:
		a.said = a.said%n + 1
	}
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: lines[a.said-1]})
}

// rulesLines returns the names of the variables with the rules of the server.
func rulesLines() (names []string) {
	for i := range len(console.Settings{}.RulesLines) {
		names = append(names, fmt.Sprintf("sv_rules_line%d", i+1))
	}
	return names
}
