package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// original is the server in whose place the program stands: it searches that one's folders, reads its
// configuration and has its defaults.
type original int

const (
	noOriginal original = iota
	teeworldsServer
	ddnetServer
)

// chooseOriginal returns the original that flags stand for.
func chooseOriginal(teeworlds, ddnet bool) original {
	switch {
	case teeworlds:
		return teeworldsServer
	case ddnet:
		return ddnetServer
	}
	return noOriginal
}

// impliedArgs returns the arguments that the name of the program stands for: under the names
// that the originals' servers have in packages and archives, it is one.
func impliedArgs(program string) []string {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "teeworlds-server", "teeworlds_srv":
		return []string{"serve", "--original"}
	case "DDNet-Server":
		return []string{"serve", "--ddnet"}
	}
	return nil
}

// autoexec returns the name of the file that configures the server, "" if there is none.
func (o original) autoexec(files storage) string {
	names := []string{"autoexec.cfg"}
	if o == ddnetServer {
		names = []string{"autoexec_server.cfg", "autoexec.cfg"}
	}
	for _, name := range names {
		if _, found := files.find(name); found {
			return name
		}
	}
	return ""
}

// defaults returns the lines of the console that come before all others. Those of DDNet are of 16.4, where this
// server's own are others; it keeps its own that protect it (sv_vanilla_antispoof).
func (o original) defaults(files storage) []string {
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
	if _, found := files.find("maps/" + mapName + ".map"); found {
		lines = append(lines, `sv_map "`+mapName+`"`)
	}
	return lines
}

// sameFile reports whether two names are those of the same file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// hintAtDDNet says what of DDNet-Server lies in the folders and is not used by itself.
func (o original) hintAtDDNet(files storage, p *program, log *slog.Logger) {
	if o == noOriginal && o.autoexec(files) == "" {
		if _, found := files[:1].find("autoexec_server.cfg"); found {
			log.Info(p.named("autoexec_server.cfg is not read; teeyard serve --ddnet is as DDNet-Server"))
		}
	}
	if o == ddnetServer {
		if dir, found := files.find("autoexec_server.cfg"); found && !sameFile(filepath.Join(dir, "autoexec_server.cfg"), "autoexec_server.cfg") {
			if _, here := (storage{"."}).find("autoexec_server.cfg"); here {
				log.Warn(p.named(fmt.Sprintf("%s counts, and autoexec_server.cfg in the current folder does not, as on DDNet-Server; --dir . has this folder come first",
					filepath.Join(dir, "autoexec_server.cfg"))))
			}
		}
	}
}
