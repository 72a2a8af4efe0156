package logs

import (
	"encoding/json"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/logline"
)

// Entry is a line of the audit log: an action of an operator. Entries of [Logs.Note] are about
// clients and bans.
type Entry struct {
	Time time.Time `json:"time"`
	// Event is login, logout, login_failed, command, vote_forced (an operator ran what a vote would
	// have decided), vote_passed (the players decided), token_added or token_removed. In entries of
	// Note it is joined, left, banned or unbanned.
	Event string `json:"event"`
	// Via is game (the remote console of a player), econ, halflife, http, nats or vote. It is
	// server if no operator is the cause.
	Via string `json:"via"`
	// Level is admin, moderator or helper.
	Level string `json:"level,omitempty"`
	// Client is the client id of a player or the number of an econ connection.
	Client *int `json:"client,omitempty"`
	// Name is the name of the player, or of the token of a program. Players choose their names.
	Name    string `json:"name,omitempty"`
	Account string `json:"account,omitempty"` // with which a player has logged in, see auth_add
	Addr    string `json:"addr,omitempty"`
	Command string `json:"command,omitempty"` // without passwords
	// Result is yes or no, if an operator decided a vote that others had called. It is failed if
	// the players' decision failed or changed nothing.
	Result string `json:"result,omitempty"`
	// Reason is why a client has left or an address is banned.
	Reason string `json:"reason,omitempty"`
	// Target is the address, network or range of a ban.
	Target string `json:"target,omitempty"`
	// Until is the end of a ban, nil if it is for ever.
	Until *time.Time `json:"until,omitempty"`
	// By is the operator whose line changed a ban.
	By *By `json:"by,omitempty"`
}

// By is the operator who is the cause of an entry, as in [Entry].
type By struct {
	Level   string `json:"level,omitempty"`
	Client  *int   `json:"client,omitempty"`
	Name    string `json:"name,omitempty"`
	Account string `json:"account,omitempty"`
	Addr    string `json:"addr,omitempty"`
}

// Audit writes an entry to the audit log, with the time and without passwords.
func (l *Logs) Audit(e Entry) { l.note(e, l.audit.queue) }

// Note passes an entry to Copy alone, with the operator whose line runs.
func (l *Logs) Note(e Entry) {
	if o := &l.operator; o.Event != "" {
		e.Via, e.By = o.Via, &By{o.Level, o.Client, o.Name, o.Account, o.Addr}
	}
	l.note(e, nil)
}

// note writes an entry to the queue, if there is one, and passes it to Copy.
func (l *Logs) note(e Entry, q *logline.Queue) {
	if q == nil && l.cfg.Copy == nil {
		return
	}
	e.Time = time.Now().UTC()
	if e.Command != "" {
		e.Command = safetext.Line(l.console.Redact(e.Command))
	}
	b, err := json.Marshal(&e)
	if err != nil {
		return
	}
	if l.cfg.Copy != nil {
		l.cfg.Copy(b)
	}
	if q != nil {
		q.Write(append(b, '\n'))
	}
}

// Command writes an operator's line to the audit log, and calls run to execute it.
func (l *Logs) Command(e Entry, run func()) {
	l.Audit(e)
	l.operator = e
	run()
	l.operator = Entry{}
}

// Operator returns the entry of the operator whose line runs, or a zero one if none does.
func (l *Logs) Operator() Entry { return l.operator }
