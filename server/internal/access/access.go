// Package access decides which clients of a server may connect, log in, and be heard: it keeps
// bans, banned names, mutes, logins to the remote console, and the limits for strangers.
package access

import (
	"iter"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// maxClients is the maximum number of clients of a server.
const maxClients = 128

// Host is the server whose access is controlled.
type Host interface {
	// Now returns the time of the datagram, tick or console line that the server handles.
	Now() conn.Time
	// Clients returns the connected clients in the order of their ids.
	Clients() iter.Seq[Client]
	// Drop disconnects a client.
	Drop(id int, reason string)
	// Logout ends a client's access to the remote console. The cause is a command of the caller.
	Logout(id int, who console.Caller, reason string)
	// Print logs a line about a command of the caller.
	Print(who console.Caller, level int, system, line string)
	// NoteBan notes that a ban is in force, or lifted.
	NoteBan(b *bans.Ban, lifted bool)
	// ExpectNames tells the clients whether a login may need a name besides the password.
	ExpectNames(names bool)
	// Muted receives the chat line about a player whom an operator has muted.
	Muted(line string)
	// ByVote reports whether the console runs the result of a vote.
	ByVote() bool
	// InDDNet reports whether log lines are in the dialect of DDNet.
	InDDNet() bool
}

// Client is a connected client.
type Client struct {
	ID   int
	Addr netip.Addr
	Name string
	// Operator reports whether the client is logged in to the remote console, with a Login and a
	// Level.
	Operator bool
	Login    string
	Level    console.Level
}

// Person returns the network that counts as the person behind the client.
func (c *Client) Person() netip.Prefix { return limit.Person(c.Addr) }

// IsProtected reports whether the client has at least as much access to the remote console as a
// remote caller. Such a caller may not ban or mute the client.
func (c *Client) IsProtected(who *console.Caller) bool {
	return who.IsRemote() && c.Operator && c.Level <= who.Level
}

// Config is the configuration of a [Control]. Host and Clock must be set.
type Config struct {
	Host Host
	// Bans stores the bans; nil keeps them in memory.
	Bans bans.Store
	// Clock is the clock of Bans.
	Clock func() time.Time
	// ReplaceFile creates or replaces a file. It replaces a file only if mayReplace returns nil for
	// the old content.
	ReplaceFile func(name string, content []byte, mayReplace func(old []byte) error) error
	// DDNet writes lists of bans for DDNet-Server.
	DDNet bool
	// LogFull is called for each line about a stranger that the log has no room for.
	LogFull func()
}

// Control is the access control of a server, with a value for each concern.
type Control struct {
	Settings Settings
	Bans     *Bans
	Names    Names
	Mutes    Mutes // of the chat
	Logins   *Logins
	Guesses  *Guesses
	Arrivals *Arrivals

	host Host
}

// New returns a control without settings; see [Control.Register].
func New(cfg Config) *Control {
	c := &Control{host: cfg.Host}
	c.Arrivals = newArrivals(&c.Settings, cfg.LogFull)
	c.Bans = newBans(cfg, c.Arrivals)
	c.Logins = &Logins{host: cfg.Host, settings: &c.Settings}
	c.Guesses = newGuesses(&c.Settings, c.Bans)
	return c
}

// Register adds the variables and commands to a console.
func (c *Control) Register(to *console.Console) error {
	if err := c.Settings.register(to); err != nil {
		return err
	}
	for _, commands := range [][]console.Command{c.Bans.commands(), c.Names.commands(), c.muteCommands(), c.Logins.commands()} {
		for _, cmd := range commands {
			if err := to.Register(cmd); err != nil {
				return err
			}
		}
	}
	return nil
}

// Settings are the variables. Switches are 0 or 1. The comments name the variables; "ours" and
// "DDNet's" mark names that Teeworlds 0.7.5 lacks.
type Settings struct {
	Password             string // password
	RconPassword         string // sv_rcon_password
	RconModPassword      string // sv_rcon_mod_password
	RconHelperPassword   string // sv_rcon_helper_password, DDNet's
	RconMaxTries         int    // sv_rcon_max_tries
	RconBanTime          int    // sv_rcon_bantime, minutes
	MaxClientsPerIP      int    // sv_max_clients_per_ip
	MaxClientsPerNetwork int    // sv_max_clients_per_network, ours
	VanillaAntispoof     int    // sv_vanilla_antispoof, DDNet's
	VanillaConnPerSecond int    // sv_van_conn_per_second, DDNet's
}

func (s *Settings) register(c *console.Console) error {
	for _, v := range []console.StringVar{
		{Name: "password", Help: "Password to the server", Value: &s.Password},
		{Name: "sv_rcon_password", Help: "Remote console password (full access)", Value: &s.RconPassword},
		{Name: "sv_rcon_mod_password", Help: "Remote console password for moderators (limited access)", Value: &s.RconModPassword},
		{Name: "sv_rcon_helper_password", Help: "Remote console password for helpers, who run what access_level allows", Value: &s.RconHelperPassword},
	} {
		v.Flags, v.Size = console.Server|console.Save|console.Secret, maxPassword+1
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []console.IntVar{
		{Name: "sv_max_clients_per_ip", Help: "Number of clients that may be connected from one IP",
			Value: &s.MaxClientsPerIP, Default: 4, Min: 1, Max: maxClients},
		{Name: "sv_max_clients_per_network", Help: "Number of clients that may be connected from one network (0 = any)",
			Value: &s.MaxClientsPerNetwork, Max: maxClients},
		{Name: "sv_vanilla_antispoof", Help: "Make old clients without tokens prove their address before they get a seat",
			Value: &s.VanillaAntispoof, Default: 1, Max: 1},
		{Name: "sv_van_conn_per_second", Help: "Connection attempts per second from old clients without tokens (0 = none)",
			Value: &s.VanillaConnPerSecond, Default: 10, Max: 10000},
		{Name: "sv_rcon_max_tries", Help: "Number of wrong remote console passwords allowed (0 = any)", Value: &s.RconMaxTries, Default: 3, Max: 100},
		{Name: "sv_rcon_bantime", Help: "Minutes of ban for too many wrong passwords (0 = kick)", Value: &s.RconBanTime, Default: 5, Max: 1440},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// find returns the client with an id.
func find(h Host, id int) (Client, bool) {
	for c := range h.Clients() {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}

// printable returns at most n bytes of a text from outside, safe to show.
func printable(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return safetext.Line(text)
}
