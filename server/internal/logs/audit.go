package logs

import (
	"encoding/json"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

// Entry is a line of the audit log: an action of an operator.
type Entry struct {
	Time time.Time `json:"time"`
	// Event is login, logout, login_failed, command, vote_forced (an operator ran what a vote would
	// have decided), vote_passed (the players decided), token_added or token_removed.
	Event string `json:"event"`
	// Via is game (the remote console of a player), econ, halflife, http or vote.
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
}

// Audit writes an entry to the audit log, with the time and without passwords.
func (l *Logs) Audit(e Entry) {
	q := l.audit.queue
	if q == nil {
		return
	}
	e.Time = time.Now().UTC()
	if e.Command != "" {
		e.Command = safetext.Line(l.console.Redact(e.Command))
	}
	if b, err := json.Marshal(&e); err == nil {
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
