package server

import (
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/resume"
	"github.com/teeyard/teeyard/server/storage"
	"github.com/teeyard/teeyard/transport"
)

// Config is the configuration of a [Server]. The zero value is a deathmatch on the embedded map, on
// UDP port 8303 of all addresses.
type Config struct {
	// Transport sends and receives the datagrams; nil opens a UDP socket on the address and port of
	// the settings bindaddr and sv_port. The server closes it.
	Transport transport.Conn
	// AddTransport returns a transport that joins the given one with others, such as Join of a
	// ws.Hub; nil adds none.
	AddTransport func(transport.Conn) transport.Conn
	// Commands are console lines that run before the server starts, such as the arguments of the
	// program: settings, "exec FILE", "-f", FILE.
	Commands []string
	// DDNet gives a setting the meaning of DDNet-Server where Teeworlds has the same name with
	// another meaning (sv_inactivekick).
	DDNet bool
	// Files contains the maps and configuration files. With nil, the server plays only the embedded
	// maps. Several goroutines use it.
	Files fs.FS
	// WriteFile creates or replaces the files of commands such as save_config; nil disables them.
	// The name is a path as in Files. One goroutine at a time calls it; the game does not wait for
	// it.
	WriteFile func(name string, content []byte) error
	// Replays stores the replay logs of matches while sv_replay is 1; nil records nothing. Each
	// Write is a whole number of blocks.
	Replays record.Folder
	// Teehistorians stores the recordings of sv_tee_historian; nil records nothing.
	Teehistorians record.Folder
	// Demos stores the demos of record and sv_auto_demo_record; nil records nothing. The server
	// writes the length into the header of a file that implements io.WriterAt, as *os.File does.
	Demos record.Folder
	// Resume stores the running match for the next start of the server while sv_resume is 1; nil
	// stores nothing.
	Resume resume.Store
	// Stuck, if set, ends the program. The server calls it when a tick has taken five seconds
	// because a mode or mod does not return. Before the call, the server logs its name and writes
	// the replay log.
	Stuck func()
	// Bans stores bans, such as a list that [bans.Open] keeps in a file; nil keeps them in memory.
	// The server does not close it.
	Bans bans.Store
	// Modes are the game modes that sv_gametype chooses from; nil means [builtin.Modes].
	Modes mode.List
	// Mods make the mods of every map that is played; they change the mode, in order. The mods of
	// sv_mods follow.
	Mods []func() game.Mod
	// ChooseMode returns the game type of a map while sv_gametype is not set, and the reason, such
	// as the tiles of the map. "" or nil leaves it at dm. Goroutines call it as they call FindMod.
	ChooseMode func(t *game.Terrain) (name, reason string)
	// FindMode returns the constructor of a mode that sv_gametype names and Modes does not contain.
	// The error is fs.ErrNotExist if no such mode exists. Nil finds none. Goroutines call it as
	// they call FindMod.
	FindMode func(name string) (func() game.Mode, error)
	// FindMod returns the constructor of a mod that sv_mods names. The server logs the error. Nil
	// finds none. Other goroutines call it whenever the server reads a map, and it may read files.
	FindMod func(name string) (func() game.Mod, error)
	// OpenStorage opens the storage that sv_storage names, for the data of modes and mods; nil
	// stores nothing. The server closes the storage.
	OpenStorage func(name string) storage.Store
	// OpenRanks opens the ranks that sv_ranks names, for the results of races; nil keeps no
	// results. The server closes the ranks.
	OpenRanks func(name string) storage.Ranks
	// ChatCommands are chat commands for players, besides the server's own. AddChatCommand adds
	// more.
	ChatCommands []chat.Command
	// Observers observe each tick, in this order; see [Observer].
	Observers []Observer
	// Broadcast shows the match to viewers outside of the server, after the Observers; nil shows
	// nothing.
	Broadcast Broadcast
	// AddToConsole adds the variables and commands of other packages to the console, before
	// Commands run; nil adds none.
	AddToConsole func(c *console.Console) error
	// Background runs a function that would stall the game, such as the reader of a map; nil runs
	// it in a goroutine. In virtual time Background must run the function at once.
	Background func(f func())
	// Log receives the console's output; nil discards it. The game waits for Log, so use
	// [logline.Queue] for a pipe, a terminal or a disk.
	Log *slog.Logger
	// OpenLog opens the files of the settings logfile and sv_audit_log for appending; nil disables
	// them. The name is a path as in Files. It may be absolute if the operator set it at the start.
	// The game waits neither for OpenLog nor for the writer.
	OpenLog func(name string) (io.WriteCloser, error)
	// Audit receives each entry of the audit log as an object of JSON, also without sv_audit_log.
	// It also receives the clients that come and go with their addresses, and bans. It is called on
	// the server's goroutine and must not wait; nil disables it.
	Audit func(entry []byte)
	// Dialect is the dialect of Log. The setting log_dialect changes it, as well as the dialect of
	// the external console; nil leaves Log as it is.
	Dialect *logline.DialectVar
	// ThreadTime returns the processor time of the calling thread. With it, the server measures its
	// ticks, and switches off a script that takes too long in every one. With nil, the server stops
	// only a hook that takes a tenth of a second.
	ThreadTime func() time.Duration
	// Seed seeds the random numbers of the world; 0 picks a seed.
	Seed uint64
}
