package bus

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestParseCommand checks which messages are console lines: the subject and the reply subject must
// be of one operator, and for this server. The rest are forms in which a member of the fleet could
// try to speak as an operator.
func TestParseCommand(t *testing.T) {
	m := &Presence{ID: "s1", Tags: []string{"eu"}}
	for _, test := range []struct {
		subject, reply, line string
		want                 error
	}{
		{"ger.console.admin.alice.all", "_INBOX_alice.abc.1", "status", nil},
		{"ger.console.moderator.alice.server.s1", "_INBOX_alice.abc.1", " kick 3 ", nil},
		{"ger.console.helper.alice.tag.eu", "_INBOX_alice.abc.1", "status", nil},
		{"$KV.ger_bans.s1.p.cb007107-32", "$JS.ACK.KV_ger_bans.c.1.1.1.1.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.all", "$JS.ACK.KV_ger_bans.c.1.1.1.1.1", "shutdown", errConsoleReply},
		{"ger.console.admin.alice.all", "_INBOX_alicex.1", "shutdown", errConsoleReply},
		{"ger.console.admin.alice.all", "_INBOX_bob.1", "shutdown", errConsoleReply},
		{"ger.console.admin.alice.all", "", "shutdown", errConsoleReply},
		{"ger.console.root.alice.all", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.server.s2", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.server.s1.x", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.server", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.tag.us", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.all.s1", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin..all", "_INBOX_.1", "shutdown", errConsoleSubject},
		{"other.console.admin.alice.all", "_INBOX_alice.1", "shutdown", errConsoleSubject},
		{"ger.console.admin.alice.all", "_INBOX_alice.1", "", errConsoleLine},
		{"ger.console.admin.alice.all", "_INBOX_alice.1", "say a\nshutdown", errConsoleLine},
		{"ger.console.admin.alice.all", "_INBOX_alice.1", strings.Repeat("a", maxLine+1), errConsoleLine},
	} {
		msg := &nats.Msg{Subject: test.subject, Reply: test.reply, Data: []byte(test.line)}
		c, err := parseCommand("ger", m, msg)
		testenv.Check(t, err == test.want, "%s %s %.20q: %v, want %v", test.subject, test.reply, test.line, err, test.want)
		if err == nil {
			level := strings.Split(test.subject, ".")[2]
			testenv.Check(t, c.operator == "alice" && c.level == levels[level] && c.line == strings.TrimSpace(test.line), "%+v", c)
		}
	}
}

// TestOutput checks the answer to a line with more output than fits, and to one that cannot run.
func TestOutput(t *testing.T) {
	m := &Member{}
	c := consoleService{m: m}
	m.cfg.Run = func(_ context.Context, _ console.Level, _, _ string, print, done func(string)) error {
		for i := range maxText/100 + 10 {
			print(fmt.Sprintf("%0100d", i))
		}
		done("a warning")
		return nil
	}
	a := c.run(&command{})
	testenv.Check(t, a.Cut && a.Failed == "a warning" && len(a.Lines) == maxText/100, "%v %q %d", a.Cut, a.Failed, len(a.Lines))
	m.cfg.Run = func(context.Context, console.Level, string, string, func(string), func(string)) error {
		return context.Canceled
	}
	a = c.run(&command{})
	testenv.Check(t, !a.Cut && a.Failed == context.Canceled.Error() && len(a.Lines) == 0, "%+v", a)
}
