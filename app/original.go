package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/teeyard/teeyard/server/folder"
)

// original is the server that the program replaces. The program searches that server's folders,
// reads its configuration and uses its defaults.
type original int

const (
	noOriginal original = iota
	teeworldsServer
	ddnetServer
)

// chooseOriginal returns the original that the flags name.
func chooseOriginal(teeworlds, ddnet bool) original {
	switch {
	case teeworlds:
		return teeworldsServer
	case ddnet:
		return ddnetServer
	}
	return noOriginal
}

// impliedArgs returns the arguments that the name of the program implies. Packages and archives of
// the original servers use these names.
func impliedArgs(program string) []string {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "teeworlds-server", "teeworlds_srv":
		return []string{"serve", "--original"}
	case "DDNet-Server":
		return []string{"serve", "--ddnet"}
	}
	return nil
}

// autoexec returns the name of the configuration file, or "" if there is none.
func (o original) autoexec(files folder.List) string {
	names := []string{"autoexec.cfg"}
	if o == ddnetServer {
		names = []string{"autoexec_server.cfg", "autoexec.cfg"}
	}
	for _, name := range names {
		if _, found := files.Find(name); found {
			return name
		}
	}
	return ""
}

// defaults returns console lines that run before all others. For DDNet they set the defaults of
// 16.4 where this server's differ. Settings that protect the server (sv_vanilla_antispoof) keep
// this server's defaults.
func (o original) defaults(files folder.List) []string {
	lines, mapName := []string{"sv_register 1"}, "dm1"
	switch o {
	case noOriginal:
		return nil
	case ddnetServer:
		lines = append(lines, "sv_gametype ddrace", "sv_max_clients 64", "sv_player_slots 64",
			"sv_rcon_max_tries 30", "sv_inactivekick_time 0", "conn_timeout_protection 1000",
			"sv_vote_delay 3", "sv_vote_majority 0", "sv_join_vote_delay 300")
		mapName = "Sunny Side Up"
	}
	if _, found := files.Find("maps/" + mapName + ".map"); found {
		lines = append(lines, `sv_map "`+mapName+`"`)
	}
	return lines
}

// sameFile reports whether two names refer to the same file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// hintAtDDNet logs which files of DDNet-Server are in the folders but not used automatically.
func (o original) hintAtDDNet(files folder.List, p *program, log *slog.Logger) {
	if o == noOriginal && o.autoexec(files) == "" {
		if _, found := files[:1].Find("autoexec_server.cfg"); found {
			log.Info(p.named("autoexec_server.cfg is not read; to replace a DDNet-Server, run teeyard serve --ddnet"))
		}
	}
	if o == ddnetServer {
		if dir, found := files.Find("autoexec_server.cfg"); found && !sameFile(filepath.Join(dir, "autoexec_server.cfg"), "autoexec_server.cfg") {
			if _, here := (folder.List{"."}).Find("autoexec_server.cfg"); here {
				log.Warn(
					p.named(
						fmt.Sprintf(
							"%s is read, and autoexec_server.cfg in the current folder is not, as on DDNet-Server; to search this folder first, add --dir .",
							filepath.Join(dir, "autoexec_server.cfg"),
						),
					),
				)
			}
		}
	}
}
