package listing

import (
	"strings"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/server/console"
)

// ipFilterCommands returns the commands for bans that operators of Half-Life servers know.
func (l *Listing) ipFilterCommands() []console.Command {
	const stored = console.Server | console.Store
	return []console.Command{
		{Name: "addip", Params: "s[minutes] s[network]", Help: "Ban an address or network for x minutes (0 = forever)", Flags: stored, Run: l.cmdAddIP},
		{Name: "removeip", Params: "s[network] ?s['all']", Help: "Unban a network; with 'all', also every network inside it",
			Flags: stored, Run: l.cmdRemoveIP},
		{Name: "listip", Params: "?s[beginning]", Help: "Show banned networks", Flags: stored, Run: l.cmdListIP},
		{Name: "writeip", Help: "Write the permanent bans to listip.cfg", Flags: stored, Run: l.cmdWriteIP},
	}
}

func (l *Listing) cmdAddIP(call *console.Call) {
	net, err := halflife.ParseNet(call.Arg(1))
	if err == nil && !l.access.Bans.MayBan(call, &bans.Ban{Net: net}) {
		return
	}
	b, err := halflife.AddIP(l.access.Bans.Store, call.Arg(0), call.Arg(1))
	if err != nil {
		call.Warn("net_ban", "%v", err)
		return
	}
	l.access.Bans.Apply(call.Caller, b)
	l.access.Bans.ReportUnstored(call)
}

func (l *Listing) cmdRemoveIP(call *console.Call) {
	printLines(call, halflife.RemoveIP(l.access.Bans.Store, call.Arg(0), len(call.Args) > 1))
	l.access.Bans.ReportUnstored(call)
}

func (l *Listing) cmdListIP(call *console.Call) {
	printLines(call, halflife.ListIP(l.access.Bans.Store, call.Arg(0)))
}

// banFile is the file that writeip writes, with its name on Half-Life servers.
const banFile = "listip.cfg"

func (l *Listing) cmdWriteIP(call *console.Call) {
	if err := l.host.WriteFile(banFile, halflife.WriteIP(l.access.Bans.Store)); err != nil {
		call.Warn("net_ban", "writeip: %v", err)
		return
	}
	call.Print("net_ban", "written: %s", banFile)
}

func printLines(call *console.Call, text string) {
	for line := range strings.Lines(text) {
		call.Print("net_ban", "%s", strings.TrimRight(line, "\n"))
	}
}
