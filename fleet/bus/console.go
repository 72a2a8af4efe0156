package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/server/console"
)

const (
	// maxLine is the length of the longest console line, and maxText of the longest output, in
	// bytes.
	maxLine = 2048
	maxText = 256 << 10
	// maxRunning is how many lines of operators a server runs at once.
	maxRunning = 16
	// runTime limits the time that a line may take.
	runTime = 10 * time.Second
)

// Levels are the levels of operators.
var Levels = []string{"admin", "moderator", "helper"}

// levels are the rights of the levels.
var levels = map[string]console.Level{"admin": console.LevelAdmin, "moderator": console.LevelMod, "helper": console.LevelHelper}

// Target is the servers for which a console line is: all of them with Kind "all", the server
// with Kind "server" and a Name, or those with a tag with Kind "tag" and a Name.
type Target struct{ Kind, Name string }

// has reports whether a server belongs to the target.
func (t *Target) has(p *Presence) bool {
	switch t.Kind {
	case "server":
		return p.ID == t.Name
	case "tag":
		return slices.Contains(p.Tags, t.Name)
	}
	return t.Kind == "all"
}

// String returns the target as the end of a subject.
func (t *Target) String() string {
	if t.Name == "" {
		return t.Kind
	}
	return t.Kind + "." + t.Name
}

// targets returns the targets to which a server belongs.
func targets(id string, tags []string) []Target {
	all := []Target{{Kind: "all"}, {"server", id}}
	for _, tag := range tags {
		all = append(all, Target{"tag", tag})
	}
	return all
}

// console returns the subject of the console lines of an operator for a target.
func (f fleet) console(level, operator string, t Target) string {
	return fmt.Sprintf("%s.console.%s.%s.%s", f, level, operator, &t)
}

// Answer is what a server answers to a console line.
type Answer struct {
	ID string `json:"id"`
	// Lines is the output. Cut is set if it was longer.
	Lines []string `json:"lines"`
	Cut   bool     `json:"cut,omitempty"`
	// Failed is the first warning of the output, or why the line did not run.
	Failed string `json:"failed,omitempty"`
}

// command is a console line of an operator.
type command struct {
	level    console.Level
	operator string
	line     string
}

var (
	errConsoleSubject = errors.New("the subject is not a console line for this server")
	errConsoleReply   = errors.New("the answer is not for the operator's inbox")
	errConsoleLine    = errors.New("the line is empty, too long or several lines")
)

// parseCommand returns the command of a message. The level and the name of the operator are in the
// message's own subject, which NATS checks against the operator's permissions. The subject of the
// subscription proves nothing: a consumer of a stream can send any message to it. So a message
// counts only if its subject and its reply subject are of the same operator.
func parseCommand(f fleet, m *Presence, msg *nats.Msg) (*command, error) {
	words := strings.SplitN(msg.Subject, ".", 5)
	if len(words) != 5 || words[0] != string(f) || words[1] != "console" || !slices.Contains(Levels, words[2]) || CheckName("operator", words[3]) != nil {
		return nil, errConsoleSubject
	}
	var t Target
	t.Kind, t.Name, _ = strings.Cut(words[4], ".")
	if !t.has(m) || (t.Kind == "all") != (t.Name == "") {
		return nil, errConsoleSubject
	}
	if !strings.HasPrefix(msg.Reply, inboxPrefix(words[3])+".") {
		return nil, errConsoleReply
	}
	line := strings.TrimSpace(string(msg.Data))
	if line == "" || len(line) > maxLine || strings.ContainsAny(line, "\n\r\x00") {
		return nil, errConsoleLine
	}
	return &command{level: levels[words[2]], operator: words[3], line: line}, nil
}

// consoleService runs the console lines of operators.
type consoleService struct {
	m       *Member
	running chan struct{} // a value for each line that runs

	commands, refused atomic.Uint64
}

// start subscribes to the console lines for this server. The subscriptions last as long as the
// connection and are made again with each new one.
func (c *consoleService) start() error {
	var err error
	for _, t := range targets(c.m.cfg.ID, c.m.cfg.Tags) {
		_, subErr := c.m.nc.Subscribe(c.m.fleet.console("*", "*", t), c.handle)
		err = errors.Join(err, subErr)
	}
	return err
}

// handle runs the line of a message.
func (c *consoleService) handle(msg *nats.Msg) {
	cmd, err := parseCommand(c.m.fleet, &Presence{ID: c.m.cfg.ID, Tags: c.m.cfg.Tags}, msg)
	if err != nil {
		if c.refused.Add(1) == 1 {
			const text = "a console line does not run; teeyard_fleet_commands_refused_total counts more of them: %.100q: %v"
			c.m.cfg.Log(true, fmt.Sprintf(text, msg.Subject, err))
		}
		return
	}
	select {
	case c.running <- struct{}{}:
	default:
		c.answer(msg, &Answer{Failed: "the server is busy with other lines"})
		return
	}
	c.commands.Add(1)
	go func() {
		defer func() { <-c.running }()
		c.answer(msg, c.run(cmd))
	}()
}

// run runs a command and returns the answer.
func (c *consoleService) run(cmd *command) *Answer {
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	var output struct {
		mu    sync.Mutex
		lines []string
		size  int
		cut   bool
	}
	done := make(chan string, 1)
	print := func(line string) {
		output.mu.Lock()
		defer output.mu.Unlock()
		if output.size += len(line); output.size > maxText {
			output.cut = true
			return
		}
		output.lines = append(output.lines, line)
	}
	end := func(warning string) {
		select {
		case done <- warning:
		default:
		}
	}
	go func() { // the game does not wait for the goroutine of the connection
		if err := c.m.cfg.Run(ctx, cmd.level, cmd.operator, cmd.line, print, end); err != nil {
			end(err.Error())
		}
	}()
	failed := ""
	select {
	case failed = <-done:
	case <-ctx.Done():
		failed = fmt.Sprintf("no end after %v", runTime)
	}
	output.mu.Lock()
	defer output.mu.Unlock()
	return &Answer{Lines: output.lines, Cut: output.cut, Failed: failed}
}

func (c *consoleService) answer(msg *nats.Msg, a *Answer) {
	a.ID = c.m.cfg.ID
	b, err := json.Marshal(a)
	if err == nil {
		err = msg.Respond(b)
	}
	c.m.note(err)
}
