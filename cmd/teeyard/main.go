// Command teeyard is a Teeworlds server and toolbox.
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

type commands struct {
	Serve       serveCmd         `cmd:"" help:"Run a game server."`
	Join        joinCmd          `cmd:"" help:"Join a server to watch and chat."`
	Bots        botsCmd          `cmd:"" help:"Let bots play on a server, and measure how it serves them."`
	Query       queryCmd         `cmd:"" help:"Show what a server is and who plays there."`
	Browse      browseCmd        `cmd:"" help:"List the servers of a master server."`
	Rcon        rconCmd          `cmd:"" help:"Run commands on a server's remote console."`
	Master      masterCmd        `cmd:"" help:"Run a master server of the Half-Life protocol."`
	Replay      replayCmd        `cmd:"" help:"Show, verify and cut replay logs."`
	Dump        dumpCmd          `cmd:"" help:"Explain captured network traffic."`
	Version     versionCmd       `cmd:"" help:"Print version, commit and Go version."`
	VersionFlag kong.VersionFlag `name:"version" help:"The same as the command version."`
}

func main() {
	// "teeyard help serve" is what many type first.
	if len(os.Args) > 1 && os.Args[1] == "help" {
		os.Args = append(append(os.Args[:1:1], os.Args[2:]...), "--help")
	}
	var c commands
	k := kong.Parse(&c,
		kong.Name("teeyard"),
		kong.Description("A game server for Teeworlds and DDNet, and a toolbox."),
		kong.UsageOnError(),
		kong.Vars{"version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "teeyard:", err)
		os.Exit(1)
	}
}
