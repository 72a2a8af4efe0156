package vote

import (
	"net/netip"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// Config is what [Votes] need of a server. All fields must be set.
type Config struct {
	Electorate Electorate
	Audience   Audience
	Host       Host
	// Now returns the time of the datagram, tick or console line that the server handles.
	Now func() conn.Time
}

// Electorate is the clients and bots of a server.
type Electorate interface {
	// Voter returns the client in a seat; ok is false for a seat without a client.
	Voter(id game.PlayerID) (v Voter, ok bool)
	// Name returns the name of a player, or of the last player in the seat.
	Name(id game.PlayerID) string
	// IsBot reports whether a bot of the server has the seat.
	IsBot(id game.PlayerID) bool
	// MutedFor returns how many seconds a client may not chat. Its votes have texts, too.
	MutedFor(id game.PlayerID) int
	// IsBanned reports whether an address is banned. Automatic bans do not count.
	IsBanned(a netip.Addr) bool
	// Reply sends a client a chat line from the server.
	Reply(id game.PlayerID, line string)
}

// Voter is a client of a server.
type Voter struct {
	// Addr is the client's address. A person has one vote, however many clients are theirs; see
	// limit.Person.
	Addr netip.Addr
	// Seated reports whether the client has a seat in the world. InGame reports whether it also
	// plays or watches.
	Seated, InGame bool
	// Held reports whether the connection is lost, and the server keeps the seat.
	Held bool
	// Leaving reports whether the server is about to drop the client.
	Leaving bool
	// Operator reports whether the client is logged in to the remote console, with Level.
	Operator bool
	Level    console.Level
	// EnteredAt is when the client entered the game.
	EnteredAt conn.Time
	// Unacked is the number of messages to the client without an ack.
	Unacked int
	// Menu shows the options to the client.
	Menu Menu
}

// person returns the addresses of the person behind the client.
func (v *Voter) person() netip.Prefix { return limit.Person(v.Addr) }

// Menu shows options to one client. It is a part of bridge.ServerSide.
type Menu interface {
	// SendVoteOptionsCleared removes all options.
	SendVoteOptionsCleared()
	// SendVoteOptions adds options, in order.
	SendVoteOptions(texts []string)
	// SendVoteOption adds a new option.
	SendVoteOption(text string)
	// SendVoteOptionRemoved removes an option.
	SendVoteOptionRemoved(text string)
}

// Audience is the onlookers of votes.
type Audience interface {
	// Each calls f for every client in the game, every demo and the broadcast.
	Each(f func(o Onlooker))
	// One returns a client as an onlooker.
	One(id game.PlayerID) Onlooker
	// ObserveVote tells the server's observers that a vote began or ended.
	ObserveVote(v *bridge.Vote)
	// ObserveCount tells the server's observers the numbers of votes.
	ObserveCount(yes, no, pass, total int)
	// OptionsRemoved is called when options are gone. The menus of mods list them, too.
	OptionsRemoved()
}

// Onlooker is a client, a demo or the broadcast.
type Onlooker struct {
	Screen
	// OwnTexts reports whether the client writes the texts of votes itself.
	OwnTexts bool
	// Say shows a chat line from the server.
	Say func(line string)
}

// Screen shows the running vote. It is a part of bridge.ServerSide.
type Screen interface {
	// SendVote reports that a vote began or ended.
	SendVote(v *bridge.Vote)
	// SendVoteStatus sends the numbers of votes for yes, no and neither, and of voters.
	SendVoteStatus(yes, no, pass, total int32)
}

// Host is the rest of the server.
type Host interface {
	// Run executes the console line that a vote has decided on. It calls done with the first
	// warning, "" for none, perhaps only after the next tick.
	Run(line string, as console.Caller, done func(warning string))
	// Print prints a line of console output for a caller.
	Print(who console.Caller, level int, line string)
	// Queue adds a command to the next tick of the world.
	Queue(cmd game.Command)
	// Audit writes a decision to the audit log.
	Audit(d Decision)
	// HasMap reports whether a map exists.
	HasMap(name string) bool
	// Quiet reports whether the file of sv_reset_file runs. It runs again with each map, so its
	// commands print nothing.
	Quiet() bool
	// Rules returns the rules as configured: which votes players may call, and whether they have to
	// wait between two votes.
	Rules() *game.Rules
	// Dialect returns the dialect of console output.
	Dialect() logline.Dialect
}

// Decision is an entry of the audit log.
type Decision struct {
	// Forced reports whether an operator made the decision, instead of the players.
	Forced bool
	// Caller is the player who called the vote. It is -1 for a vote from the console, and if Forced
	// is set.
	Caller  game.PlayerID
	Command string
	// Result is yes or no, an operator's decision about a vote of players. It is failed if the
	// decision of the players failed or changed nothing.
	Result string
}
