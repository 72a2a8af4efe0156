package server

import (
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/transport"
)

// Config is the configuration of a [Server]. The zero value is a deathmatch on the
// embedded map, on UDP port 8303 of all addresses.
type Config struct {
	// Transport sends and receives the datagrams; nil opens a UDP socket on the address
	// and port of the settings bindaddr and sv_port. The server closes it.
	Transport transport.Conn
	// AddTransport returns a transport that sends and receives what the given one does and what
	// others do, such as Join of a ws.Hub; nil adds none.
	AddTransport func(transport.Conn) transport.Conn
	// Commands are console lines that run before the server starts, such as the
	// arguments of the program: settings, "exec FILE", "-f", FILE.
	Commands []string
	// DDNet makes settings that DDNet-Server has with other values mean what they mean there (sv_inactivekick).
	DDNet bool
	// Files has the maps and configuration files; nil has none, so that only the
	// embedded maps can be played. Several goroutines use it.
	Files fs.FS
	// WriteFile creates or replaces the files that commands such as save_config write;
	// nil disables them. The name is a path as in Files. One goroutine at a time calls
	// it; the game does not wait for it.
	WriteFile func(name string, content []byte) error
	// Replays stores the replay logs of matches while sv_replay is 1; nil records
	// nothing. Each Write is a whole number of blocks.
	Replays Folder
	// Teehistorians stores the recordings of sv_tee_historian; nil records nothing.
	Teehistorians Folder
	// Demos stores the demos of record and sv_auto_demo_record; nil has none. Files that are
	// io.WriterAt, as *os.File is, get their length into their header.
	Demos Folder
	// Resume stores the running match for the server that is started after this one, while
	// sv_resume is 1; nil stores nothing.
	Resume ResumeStore
	// Stuck, if set, ends the program. It is called when a tick has lasted for five seconds,
	// because a mode or mod does not return. The log says which, and the replay log is written.
	Stuck func()
	// Bans stores bans, such as a list that [bans.Open] keeps in a file; nil keeps them
	// in memory. The server does not close it.
	Bans bans.Store
	// Modes are the game modes that sv_gametype chooses from; nil means [BuiltinModes].
	Modes Modes
	// Mods make the mods of every map that is played; they change the mode, in order. The
	// mods of sv_mods follow.
	Mods []func() game.Mod
	// ChooseMode returns the game type of a map while sv_gametype is not set, and what it has that
	// the game type is for; "" leaves it at dm, as nil does. It is called as FindMod is.
	ChooseMode func(t *game.Terrain) (name, reason string)
	// FindMode returns what makes a mode that sv_gametype names and Modes does not have, or what is
	// wrong, an fs.ErrNotExist if there is none; nil has none. It is called as FindMod is.
	FindMode func(name string) (func() game.Mode, error)
	// FindMod returns what makes a mod that sv_mods names, or what is wrong, as operators are
	// told; nil has none. It is called whenever a map is read, by other goroutines, and may read
	// files.
	FindMod func(name string) (func() game.Mod, error)
	// OpenStorage opens the storage of a name in sv_storage, for what modes and mods want kept;
	// nil has none. The server closes it.
	OpenStorage func(name string) Storage
	// OpenRanks opens the ranks of a name in sv_ranks, for the results of races; nil has none. The
	// server closes them.
	OpenRanks func(name string) Ranks
	// ChatCommands are commands that players may write into the chat, besides those of the
	// server. AddChatCommand adds more.
	ChatCommands []ChatCommand
	// Observers watch what happens, in order; see [Observer].
	Observers []Observer
	// Broadcast shows the match to people who are not on the server, after the Observers;
	// nil shows it to nobody.
	Broadcast Broadcast
	// AddToConsole adds the variables and commands of other packages to the console, before
	// Commands run; nil adds none.
	AddToConsole func(c *console.Console) error
	// Background runs a function that would stall the game, such as one that reads a
	// map; nil runs it in a goroutine. In virtual time it has to run at once.
	Background func(f func())
	// Log receives the console's output; nil discards it. The game waits for it: where it
	// may be stuck, as a pipe, a terminal or a disk may be, use [logline.Queue].
	Log *slog.Logger
	// OpenLog opens the files that the settings logfile and sv_audit_log name, to append
	// lines; nil disables them. The name is a path as in Files, or absolute if it was set
	// where the server is started. The game does not wait for it, nor for the writer.
	OpenLog func(name string) (io.WriteCloser, error)
	// Dialect is that of Log. The setting log_dialect changes it, and that of the
	// external console; nil leaves Log as it is.
	Dialect *logline.DialectVar
	// ThreadTime returns the processor time of the calling thread. With it, a script that takes too long in every
	// tick is switched off. Nil stops only a hook that takes a tenth of a second.
	ThreadTime func() time.Duration
	// Seed seeds the random numbers of the world; 0 picks a seed.
	Seed uint64
}
