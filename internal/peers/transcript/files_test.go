//go:build peers

package transcript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/peers"
)

// tourFile is a file of commands in the folders of both servers.
const tourFile = "tour.cfg"

const tourCommands = "# a comment\necho from a file; sv_scorelimit 3\n\nnonsense\nexec tour.cfg\nexec nowhere.cfg\nsv_motd \"a; b\"\n"

// files is the tour of commands that read and write files.
func (sc *scenario) files(*peers.Server) {
	sc.arriveAgain()
	alice, bob := sc.alice(), sc.bob()
	said := alice.got("RCON_LINE")
	tells := func(text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(alice.lines, func(l string) bool { return strings.Contains(l, text) })
		}
	}
	saved := func() bool { return slices.ContainsFunc(alice.lines, savedLine.MatchString) }
	sc.rcon("exec tour.cfg", said, bob.got("Sv_GameInfo"), bob.got("Sv_Motd"))
	sc.rconEach(said, "stoprecord", "record tour", "record again", "stoprecord", "stoprecord", "record tour", "stoprecord", "record nowhere/tour", "stoprecord")
	sc.rconEach(said, "logfile", "logfile other.log", "logfile", "logfile \"\"", "logfile_timestamp 1", "logfile_timestamp 0")
	sc.rcon("bans_save none.cfg", saved)
	sc.rcon("exec none.cfg", tells("executing"))
	sc.rconEach(said, "ban 10.1.2.3 60 an address", "ban 10.2.0.0-10.2.0.9 5 a range", "ban 10.3.2.1 0 \"for \\\"good\\\"\"")
	sc.rcon("bans_save bans.cfg", saved)
	sc.rcon("unban_all", said)
	sc.rcon("exec bans.cfg", tells("for life"))
	sc.rconEach(said, "bans", "bans_save")
	sc.rcon("bans_save nowhere/bans.cfg", saved)
	sc.rcon("sv_scorelimit 17", bob.got("Sv_GameInfo"))
	sc.rconEach(saved, "save_config kept", "save_config kept.cfg")
	sc.rcon("sv_scorelimit 4", bob.got("Sv_GameInfo"))
	sc.rcon("exec configs/kept.cfg", said, bob.got("Sv_GameInfo"))
	sc.rconEach(said, "sv_scorelimit", "sv_motd", "bans", "save_config nowhere/kept.cfg")
}

// On a slow disk our server prints the second line in place of the first, and later the third.
var (
	savedLine   = regexp.MustCompile(`: (failed to save|saved) |: written"$`)
	savingLine  = regexp.MustCompile(`: saving (.*): the disk is slow; the log will say when it is done`)
	writtenLine = regexp.MustCompile(`\]\[server\]: .*: written"$`)
)

// onFastDisk returns the lines as a fast disk would give them.
func onFastDisk(lines []string) []string {
	lines = slices.DeleteFunc(lines, writtenLine.MatchString)
	for i, l := range lines {
		lines[i] = savingLine.ReplaceAllString(l, ": saved $1")
	}
	return lines
}
