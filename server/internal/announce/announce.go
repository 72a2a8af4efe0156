// Package announce says lines of a file in the chat from time to time, as DDNet-Server does.
package announce

import (
	"io/fs"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// Config is the configuration of an [Announcer]. All fields must be set.
type Config struct {
	// Files contains the file with the lines.
	Files fs.FS
	// Background runs a function beside the loop.
	Background func(f func())
	// AnyInGame reports whether a client is in the game.
	AnyInGame func() bool
	// Say says a line in the chat.
	Say func(line string)
}

// Settings holds the variables of the announcements, with the names of DDNet. Switches are 0 or 1.
type Settings struct {
	File     string // sv_announcement_filename
	Interval int    // sv_announcement_interval, minutes
	Random   int    // sv_announcement_random
}

// Announcer says the lines. The goroutine of the server's loop must call the methods.
type Announcer struct {
	Settings Settings

	cfg     Config
	next    conn.Time // 0 before it is known
	reading later.Job[[]string]
	said    int // the line that was said last, from 1
}

// New returns an announcer without settings; see [Announcer.Register].
func New(cfg Config) *Announcer { return &Announcer{cfg: cfg} }

// Register adds the variables to a console.
func (a *Announcer) Register(c *console.Console) error {
	s := &a.Settings
	const flags = console.Server | console.Save
	file := console.StringVar{Name: "sv_announcement_filename", Help: "File with announcements for the chat, one per line", Flags: flags,
		Value: &s.File, Default: "announcement.txt", Size: 128}
	if err := c.RegisterString(file); err != nil {
		return err
	}
	for _, v := range []console.IntVar{
		{Name: "sv_announcement_interval", Help: "Minutes between two announcements", Value: &s.Interval, Default: 300, Min: 1, Max: 9999},
		{Name: "sv_announcement_random", Help: "Announce in random order", Value: &s.Random, Default: 1, Max: 1},
	} {
		v.Flags = flags
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	for _, name := range []string{"sv_announcement_filename", "sv_announcement_interval"} {
		if err := c.AfterStart(name, func(*console.Call) { a.next = 0 }); err != nil {
			return err
		}
	}
	return nil
}

// Tick says a line when it is due. It reads the file each time, beside the loop, so that operators
// can change it.
func (a *Announcer) Tick(now conn.Time) {
	if lines, ok := a.reading.Take(); ok {
		a.say(lines)
		return
	}
	switch {
	case a.Settings.File == "":
	case a.next == 0:
		a.next = now.Add(time.Duration(a.Settings.Interval) * time.Minute)
	case now >= a.next && !a.reading.Running():
		a.next = 0
		if !a.cfg.AnyInGame() {
			return
		}
		name := a.Settings.File
		a.reading.Start(a.cfg.Background, func() []string {
			content, _ := console.ReadFile(a.cfg.Files, name) // most servers have none
			return linesOf(content)
		})
	}
}

// linesOf returns the lines of a file that are not empty and do not begin with #.
func linesOf(content []byte) (lines []string) {
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(safetext.Line(line)); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// say says one of the lines: the next one, or a random one that is not the last.
func (a *Announcer) say(lines []string) {
	switch n := len(lines); {
	case n == 0:
		return
	case a.Settings.Random != 0 && n > 1 && a.said >= 1 && a.said <= n:
		a.said = (a.said+rand.IntN(n-1))%n + 1
	case a.Settings.Random != 0:
		a.said = rand.IntN(n) + 1
	default:
		a.said = a.said%n + 1
	}
	a.cfg.Say(lines[a.said-1])
}
