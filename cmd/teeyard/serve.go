package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

type serveCmd struct {
	Dir     string   `help:"Folder with maps/ and configuration files." default:"." type:"existingdir" env:"TEEYARD_DIR"`
	JSON    bool     `name:"json" help:"Log as JSON, one object per line."`
	Console []string `arg:"" optional:"" passthrough:"" name:"command" help:"Console commands, as for teeworlds-server: \"sv_name x; sv_port 8304\", -f FILE."`
}

// Help explains the first steps.
func (serveCmd) Help() string {
	return `Without arguments this runs a deathmatch on an embedded map on UDP port 8303, with bots
that fill the game up to 3 players ("sv_bots 0" for none, sv_bot_skill 1 to 3).
autoexec.cfg in the folder is executed first, then the arguments, each as a line of the
console. -f FILE executes a file of such lines. Flags come before them. docs/settings.md of
the project lists all settings and commands, as does /commands in teeyard join.

  teeyard serve "sv_name My server" "sv_port 8304" "sv_rcon_password secret"

Ctrl-C stops the server and tells the players. Matches are recorded in the folder
replays/ (sv_replay, sv_replay_max_files); see teeyard replay. Bans are stored in
bans.json; servers with the same folder share them.`
}

// outputTimeout is how long the end of the output may take to be written.
const outputTimeout = time.Second

func newLogHandler(w io.Writer, json bool) slog.Handler {
	if json {
		return logline.NewJSON(w, slog.LevelDebug)
	}
	return logline.New(w, slog.LevelDebug)
}

// newQueue returns a queue in front of a file or terminal, for programs that must not wait for their
// output because a server waits for them, or players do.
func newQueue(f io.Writer, json bool) *logline.Queue {
	return logline.NewQueue(f, func(w io.Writer) slog.Handler { return newLogHandler(w, json) })
}

// Run runs the server until a signal or "shutdown" ends it.
func (c *serveCmd) Run(ctx context.Context) error {
	files := newStorage(c.Dir)
	lines := c.Console
	for _, line := range lines {
		// Flags end at the first console line. No console line begins with --, except two options of
		// teeworlds-server do.
		if strings.HasPrefix(line, "--") && line != "--silent" && line != "--default" {
			return usageErrorf(`%s is not a flag of serve, or follows console commands; those are like "sv_port 8304", see teeyard serve --help`, line)
		}
	}
	if _, err := fs.Stat(files, "autoexec.cfg"); err == nil {
		lines = append([]string{"-f", "autoexec.cfg"}, lines...)
	}
	newcomer := len(lines) == 0
	if newcomer {
		lines = []string{"sv_bots 3"}
	}
	signal.Ignore(syscall.SIGPIPE) // the game goes on when the reader of its log is gone
	var dialect logline.DialectVar
	if c.JSON {
		dialect.Set(logline.JSON)
	}
	newHandler := func(w io.Writer) slog.Handler { return logline.NewDialect(w, slog.LevelDebug, &dialect) }
	stdout := logline.NewQueue(os.Stdout, newHandler)
	defer stdout.Close(outputTimeout)
	log := slog.New(newHandler(stdout))
	store, err := bans.Open(filepath.Join(c.Dir, "bans.json"), nil)
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Commands:  lines,
		Files:     files,
		WriteFile: files.WriteFile,
		Replays:   replayDir(filepath.Join(c.Dir, "replays")),
		Bans:      store,
		Log:       log,
		Dialect:   &dialect,
	})
	if errors.As(err, new(*console.ArgumentError)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if newcomer {
		log.Info("bots fill the game up to 3 players (to play without: teeyard serve \"sv_bots 0\")")
	}
	return errors.Join(s.Run(ctx), store.Close())
}
