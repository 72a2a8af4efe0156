package admin

import (
	_ "embed"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/vote"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// apiPath is the path of the API.
const apiPath = "/admin/api"

// routes are the operations of the API.
var routes = []route{
	operation("POST", "/login", "Sign in; the answer sets a cookie", (*Console).logIn).withoutLogin(),
	operation("POST", "/logout", "Sign out", (*Console).logOut),
	operation("GET", "/me", "The signed-in operator and the server; without signing in the level is empty", (*Console).me).withoutLogin(),
	operation("GET", "/players", "List the connected players", (*Console).players),
	operation("GET", "/history", "List all visits since the server started, latest first", (*Console).history),
	operation("POST", "/players/{id}/kick", "Kick a player", (*Console).kick),
	operation("POST", "/players/{id}/ban", "Ban a player", (*Console).ban),
	operation("POST", "/players/{id}/mute", "Mute a player in the chat", (*Console).mute),
	operation("POST", "/players/{id}/unmute", "Unmute a player", (*Console).unmute),
	operation("POST", "/players/{id}/team", "Move a player to a team", (*Console).move),
	operation("GET", "/bans", "List the bans", (*Console).bans),
	operation("POST", "/bans", "Ban an address, a network or a range", (*Console).addBan),
	operation("DELETE", "/bans", "Lift a ban", (*Console).removeBan).with(parameter{"target", "string", "As in the list of bans"}),
	operation("GET", "/votes", "List the vote options and the running vote", (*Console).votes),
	operation("POST", "/votes", "Add a vote option", (*Console).addVote),
	operation("DELETE", "/votes", "Remove a vote option", (*Console).removeVote).with(parameter{"text", "string", "As in the list"}),
	operation("POST", "/votes/running", "Decide the running vote", (*Console).decide),
	operation("GET", "/maps", "Show the current map, the rotation and the available maps", (*Console).maps),
	operation("POST", "/maps", "Change the map", (*Console).changeMap),
	operation("PUT", "/maps/rotation", "Set the map rotation", (*Console).setRotation),
	operation("GET", "/settings", "List the settings that you may change", (*Console).listSettings),
	operation("PUT", "/settings/{name}", "Change a setting", (*Console).set),
	operation("GET", "/commands", "List the commands and settings that you may run", (*Console).commands),
	operation("POST", "/command", "Run a console line", (*Console).command),
	operation("GET", "/log", "Read the log; moderators get only the chat", (*Console).readLog).with(
		parameter{
			"from",
			"integer",
			"Number of the first line",
		},
		parameter{"limit", "integer", "Maximum number of lines, the latest; 1 to 4096, by default 500"},
		parameter{
			"level",
			"string",
			"Minimum level: debug, info, warn or error",
		},
		parameter{"system", "string", "Only lines of this part of the server, such as chat"},
		parameter{"text", "string", "Only lines that contain this text, ignoring case"},
	),
	operation(
		"GET",
		"/samples",
		"Performance of the server over time",
		(*Console).samples,
	).with(
		parameter{"step", "integer", "1 for the last ten minutes in seconds, 60 for the last day in minutes"},
	),
	operation(
		"GET",
		"/events",
		"Stream news as server-sent events: log, players, sample and event",
		(*Console).events,
	).with(
		parameter{"topics", "string", "Comma-separated list of log, players, sample and event; by default all"},
	),
	operation("GET", "/tokens", "List the tokens of programs", (*Console).listTokens).forAdmins(),
	operation("POST", "/tokens", "Create a token for a program", (*Console).addToken).forAdmins(),
	operation("DELETE", "/tokens", "Revoke a token", (*Console).removeToken).forAdmins().with(parameter{"name", "string", "As in the list"}),
}

//go:generate go test -run ^TestOpenAPI$ -update .

//go:embed openapi.json
var openAPI []byte

// Rooms returns the page, its files and the API.
func (c *Console) Rooms() []web.Room {
	page, plain := newApp(), webpage.NewFiles(files(), contentSecurityPolicy)
	rooms := []web.Room{
		{Pattern: "GET /admin", Handler: c.page(page)},
		{Pattern: "GET /admin/{$}", Handler: web.Redirect("../admin")},
		{Pattern: "GET /admin/static/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := r.PathValue("path")
			c.page(page.Bundle(name, plain.Handler(name))).ServeHTTP(w, r)
		})},
		{Pattern: "GET " + apiPath + "/openapi.json", Handler: c.inside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(openAPI)
		}))},
		{Pattern: apiPath + "/", Handler: c.inside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeError(w, errNotFound) }))},
	}
	for _, rt := range routes {
		rooms = append(rooms, web.Room{Pattern: rt.method + " " + apiPath + rt.path, Handler: c.handle(rt)})
	}
	if c.live != nil {
		rooms = append(rooms, web.Room{Pattern: "GET /admin/live/{path...}", Handler: c.signedIn(http.StripPrefix("/admin/live", c.live))})
	}
	return rooms
}

// inside serves h to clients that may enter.
func (c *Console) inside(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := c.access.enter(r); err != nil {
			writeError(w, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// signedIn serves h to signed-in operators.
func (c *Console) signedIn(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, err := c.access.enter(r)
		if err == nil {
			_, err = c.access.identify(r, client)
		}
		if err != nil {
			writeError(w, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// caller returns the caller of the console for the operator of the request.
func (q *request) caller() console.Caller {
	return console.Caller{Level: q.op.Level, Flags: console.Server, ID: -1, Addr: q.client.Addr.Addr()}
}

// may reports whether the operator may run a command. Call it on the server's goroutine.
func (c *Console) may(q *request, command string) bool {
	return c.settings.console.MayRun(command, q.caller())
}

// maySeeAddresses reports whether the operator may see players' addresses. An operator who may run
// show_ips sees them in the game.
func (c *Console) maySeeAddresses(q *request) (may bool, err error) {
	if q.isAdmin() {
		return true, nil
	}
	err = c.do(q.Context(), func(Server) { may = c.may(q, "show_ips") })
	return may && err == nil, err
}

const (
	// maxOutput and maxOutputBytes limit the output that is kept, in lines and bytes.
	maxOutput      = 2000
	maxOutputBytes = 256 << 10
)

// run runs a command with arguments, which it quotes where necessary. It first calls check on the
// server's goroutine.
func (c *Console) run(q *request, check func(s Server) error, command string, args ...any) (api.Output, error) {
	line := command
	for _, a := range args {
		text, isText := a.(string)
		switch {
		case !isText:
			line += fmt.Sprintf(" %v", a)
		case strings.ContainsAny(text, "\x00\r\n"):
			return api.Output{}, badRequest("a text must be a single line")
		default:
			line += " " + console.Quote(text)
		}
	}
	if len(line) > console.MaxCommand {
		return api.Output{}, badRequest("the text is longer than %d bytes", console.MaxCommand)
	}
	var refused error
	out, err := c.runLine(q, line, func(s Server) bool {
		if refused = errMay(command); !c.may(q, command) {
			return false
		}
		refused = nil
		if check != nil {
			refused = check(s)
		}
		return refused == nil
	})
	switch {
	case err != nil:
		return api.Output{}, err
	case refused != nil:
		return api.Output{}, refused
	case out.Warning != "":
		return api.Output{}, &apiError{http.StatusConflict, out.Warning}
	}
	return api.Output{Output: out.Output, Cut: out.Cut}, nil
}

// runLine runs a console line if may allows it. may is called on the server's goroutine.
func (c *Console) runLine(q *request, line string, may func(s Server) bool) (api.LineOutput, error) {
	out := api.LineOutput{Output: []string{}}
	op, size := q.op, 0
	err := c.await(q.Context(), func(s Server, done func()) {
		if !may(s) {
			done()
			return
		}
		print := func(line string) {
			if size += len(line); len(out.Output) >= maxOutput || size > maxOutputBytes {
				out.Cut = true
				return
			}
			out.Output = append(out.Output, line)
		}
		s.RunFor(&op, line, print, func(warning string) {
			out.Warning = warning
			done()
		})
	})
	if err != nil {
		return api.LineOutput{}, err
	}
	return out, nil
}

func (c *Console) me(q *request, _ *struct{}) (api.Me, error) {
	s, err := c.access.identify(q.Request, q.client)
	switch {
	case err == error(errSignIn):
		return api.Me{}, nil
	case err != nil:
		return api.Me{}, err
	}
	q.op = s.op
	return c.about(q), nil
}

// about returns the operator and the server that a request is for.
func (c *Console) about(q *request) api.Me {
	c.state.mu.Lock()
	name := c.state.name
	c.state.mu.Unlock()
	return api.Me{Level: q.op.Level.String(), Name: q.op.Name, Server: safetext.Line(name), Version: server.Program(), Live: c.live != nil}
}

func (c *Console) players(q *request, _ *struct{}) (api.Players, error) {
	addresses, err := c.maySeeAddresses(q)
	if err != nil {
		return api.Players{}, err
	}
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	return api.Players{Players: c.state.players(addresses)}, nil
}

func (c *Console) history(q *request, _ *struct{}) (api.History, error) {
	addresses, err := c.maySeeAddresses(q)
	if err != nil {
		return api.History{}, err
	}
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	list := make([]api.Visit, 0, len(c.state.visits))
	for _, v := range slices.Backward(c.state.visits) {
		one := v.Visit
		if !addresses {
			one.Address = ""
		}
		list = append(list, one)
	}
	return api.History{Visits: list}, nil
}

// player returns the id in the path, and a function that checks that this id belongs to a player
// with the given name.
func (q *request) player(name string) (id int, check func(s Server) error, err error) {
	id, err = strconv.Atoi(q.PathValue("id"))
	if err != nil || id < 0 || id >= game.MaxPlayers {
		return 0, nil, badRequest("the id must be a number from 0 to %d", game.MaxPlayers-1)
	}
	return id, func(s Server) error {
		for _, cl := range s.Clients(nil) {
			if int(cl.ID) != id {
				continue
			}
			if name != "" && cl.Name != name {
				return &apiError{http.StatusConflict, fmt.Sprintf("the id %d now belongs to %q", id, cl.Name)}
			}
			return nil
		}
		return &apiError{http.StatusNotFound, fmt.Sprintf("no player has the id %d", id)}
	}, nil
}

func (c *Console) kick(q *request, in *api.Reason) (api.Output, error) {
	id, check, err := q.player(in.Name)
	if err != nil {
		return api.Output{}, err
	}
	return c.run(q, check, "kick", id, in.Reason)
}

func (c *Console) ban(q *request, in *api.BanRequest) (api.Output, error) {
	id, check, err := q.player(in.Name)
	if err != nil {
		return api.Output{}, err
	}
	return c.run(q, check, "ban", id, in.Minutes, in.Reason)
}

func (c *Console) mute(q *request, in *api.MuteRequest) (api.Output, error) {
	id, check, err := q.player(in.Name)
	if err != nil {
		return api.Output{}, err
	}
	return c.run(q, check, "muteid", id, in.Seconds, in.Reason)
}

func (c *Console) unmute(q *request, _ *struct{}) (api.Output, error) {
	id, check, err := q.player("")
	if err != nil {
		return api.Output{}, err
	}
	return c.run(q, check, "unmuteid", id)
}

func (c *Console) move(q *request, in *api.TeamRequest) (api.Output, error) {
	id, check, err := q.player(in.Name)
	if err != nil {
		return api.Output{}, err
	}
	return c.run(q, check, "set_team", id, int(in.Team.Team), in.Delay)
}

// maxBans limits the number of bans listed.
const maxBans = 2000

func (c *Console) bans(q *request, _ *struct{}) (api.Bans, error) {
	var s Server
	may := false
	if err := c.do(q.Context(), func(on Server) { s, may = on, c.may(q, "bans") }); err != nil {
		return api.Bans{}, err
	}
	if !may {
		return api.Bans{}, errMay("bans")
	}
	all := s.Bans() // may be long, so not on the server's goroutine
	out := api.Bans{Bans: []api.Ban{}, More: max(len(all)-maxBans, 0)}
	for _, b := range all[:min(len(all), maxBans)] {
		out.Bans = append(out.Bans, api.Ban{Target: b.Target(), Until: b.Until.UTC(), Reason: safetext.Line(b.Reason)})
	}
	return out, nil
}

func (c *Console) addBan(q *request, in *api.NewBan) (api.Output, error) {
	if strings.Trim(in.Target, "0123456789") == "" {
		return api.Output{}, badRequest("the target must be an address, a network or a range")
	}
	return c.run(q, nil, "ban", in.Target, in.Minutes, in.Reason)
}

func (c *Console) removeBan(q *request, _ *struct{}) (api.Output, error) {
	target := q.URL.Query().Get("target")
	if strings.Trim(target, "0123456789") == "" { // an index into the list, which changes
		return api.Output{}, badRequest("the target must be an address, a network or a range")
	}
	return c.run(q, nil, "unban", target)
}

func (c *Console) votes(q *request, _ *struct{}) (api.Votes, error) {
	var v vote.State
	if err := c.do(q.Context(), func(s Server) { v = s.Votes() }); err != nil {
		return api.Votes{}, err
	}
	command := func(line string) string {
		if q.isAdmin() {
			return line
		}
		return ""
	}
	out := api.Votes{Options: []api.VoteOption{}}
	for _, o := range v.Options {
		out.Options = append(out.Options, api.VoteOption{Text: o.Text, Command: command(o.Command)})
	}
	if v.Running != "" {
		out.Running = &api.RunningVote{
			About: v.Running, Reason: v.Reason, Command: command(v.Command), Caller: int(v.Caller),
			Yes: v.Yes, No: v.No, Total: v.Total, Seconds: int(v.Left / time.Second),
		}
	}
	return out, nil
}

func (c *Console) addVote(q *request, in *api.VoteOption) (api.Output, error) {
	return c.run(q, nil, "add_vote", in.Text, in.Command)
}

func (c *Console) removeVote(q *request, _ *struct{}) (api.Output, error) {
	return c.run(q, nil, "remove_vote", q.URL.Query().Get("text"))
}

func (c *Console) decide(q *request, in *api.Decision) (api.Output, error) {
	what := "no"
	if in.Yes {
		what = "yes"
	}
	return c.run(q, func(s Server) error {
		if s.Votes().Running == "" {
			return &apiError{http.StatusConflict, "no vote is running"}
		}
		return nil
	}, "vote", what)
}

func (c *Console) maps(q *request, _ *struct{}) (api.Maps, error) {
	var m server.MapInfo
	var read func() []string
	if err := c.do(q.Context(), func(s Server) { m, read = s.Map(), s.Maps(q.op.Level) }); err != nil {
		return api.Maps{}, err
	}
	return api.Maps{Map: m.Name, GameType: m.GameType, Next: m.Next, Rotation: append([]string{}, m.Rotation...), Maps: append([]string{}, read()...)}, nil
}

func (c *Console) changeMap(q *request, in *api.MapChange) (api.Output, error) {
	if in.Map == "" {
		return api.Output{}, badRequest("map must be the name of a map")
	}
	if in.Now {
		return c.run(q, nil, "sv_map", in.Map)
	}
	return c.run(q, nil, "change_map", in.Map)
}

func (c *Console) setRotation(q *request, in *api.Rotation) (api.Output, error) {
	return c.run(q, nil, "sv_maprotation", strings.Join(in.Maps, " "))
}

// forEach calls f for each command and variable that an operator may run. Call it on the server's
// goroutine.
func (c *Console) forEach(q *request, f func(e console.Entry)) {
	who := q.caller()
	for e, ok := c.settings.console.Next("", who); ok; e, ok = c.settings.console.Next(e.Name, who) {
		f(e)
	}
}

func (c *Console) listSettings(q *request, _ *struct{}) (api.SettingsList, error) {
	list := []api.Setting{}
	err := c.do(q.Context(), func(Server) {
		all := c.settings.console
		c.forEach(q, func(e console.Entry) {
			allowed, byDefault := all.Values(e.Name)
			if allowed == "" {
				return
			}
			subject, _ := Subject(e.Name)
			s := api.Setting{
				Name:    e.Name,
				Subject: subject,
				Value:   safetext.Line(all.Value(e.Name)),
				Default: byDefault,
				Allowed: allowed,
				Secret:  e.Flags&console.Secret != 0,
				Help:    e.Help,
				Number:  e.Params == "?i",
			}
			if s.Secret && s.Value != "" {
				s.Value = "***"
			}
			var least, most int
			switch n, _ := fmt.Sscanf(allowed, "%d to %d", &least, &most); {
			case !s.Number:
				s.Default = strings.TrimSuffix(strings.TrimPrefix(s.Default, `"`), `"`)
			case n == 2:
				s.Min, s.Max = &least, &most
			}
			list = append(list, s)
		})
	})
	if err != nil {
		return api.SettingsList{}, err
	}
	slices.SortFunc(list, func(a, b api.Setting) int { return CompareSettings(a.Name, b.Name) })
	return api.SettingsList{Settings: list}, nil
}

func (c *Console) set(q *request, in *api.Value) (api.Changed, error) {
	name := q.PathValue("name")
	var value string
	out, err := c.run(q, func(Server) error {
		if allowed, _ := c.settings.console.Values(name); allowed == "" {
			return &apiError{http.StatusNotFound, "no such setting"}
		}
		return nil
	}, name, in.Value)
	if err != nil {
		return api.Changed{}, err
	}
	err = c.do(q.Context(), func(Server) {
		e, _ := c.settings.console.Lookup(name, q.caller())
		if value = safetext.Line(c.settings.console.Value(name)); e.Flags&console.Secret != 0 && value != "" {
			value = "***"
		}
	})
	if err != nil {
		return api.Changed{}, err
	}
	return api.Changed{Value: value, Output: out.Output}, nil
}

func (c *Console) commands(q *request, _ *struct{}) (api.Commands, error) {
	list := []api.Command{}
	err := c.do(q.Context(), func(Server) {
		c.forEach(q, func(e console.Entry) { list = append(list, api.Command{Name: e.Name, Params: e.Params, Help: e.Help}) })
	})
	if err != nil {
		return api.Commands{}, err
	}
	return api.Commands{Commands: list}, nil
}

func (c *Console) command(q *request, in *api.Line) (api.LineOutput, error) {
	switch {
	case strings.ContainsAny(in.Line, "\x00\r\n"):
		return api.LineOutput{}, badRequest("the line must not contain line breaks")
	case len(in.Line) > console.MaxCommand:
		return api.LineOutput{}, badRequest("the line must have at most %d bytes", console.MaxCommand)
	case strings.TrimSpace(in.Line) == "":
		return api.LineOutput{}, badRequest("the line is empty")
	}
	return c.runLine(q, in.Line, func(Server) bool { return true })
}

// levels are the levels of log lines, in ascending order.
var levels = []string{"debug", "info", "warn", "error"}

func (c *Console) readLog(q *request, _ *struct{}) (api.Log, error) {
	query := q.URL.Query()
	from, err := q.number("from", 0, 0, math.MaxInt)
	if err != nil {
		return api.Log{}, err
	}
	limit, err := q.number("limit", 500, 1, maxLogLines)
	if err != nil {
		return api.Log{}, err
	}
	least := 0
	if level := query.Get("level"); level != "" {
		if least = slices.Index(levels, level); least < 0 {
			return api.Log{}, badRequest("level must be one of %s", strings.Join(levels, ", "))
		}
	}
	system, text, admin := query.Get("system"), strings.ToLower(query.Get("text")), q.isAdmin()
	lines, next := c.log.since(nil, uint64(from), func(l *api.LogLine) bool { return mayRead(l, admin) && (system == "" || l.System == system) })
	lines = slices.DeleteFunc(lines, func(l api.LogLine) bool {
		return slices.Index(levels, l.Level) < least || text != "" && !strings.Contains(strings.ToLower(l.Text), text)
	})
	return api.Log{Lines: append([]api.LogLine{}, lines[max(len(lines)-limit, 0):]...), Next: next}, nil
}

func (c *Console) samples(q *request, _ *struct{}) (api.Samples, error) {
	step, err := q.number("step", 1, 1, 60)
	if err != nil || step != 1 && step != 60 {
		return api.Samples{}, badRequest("step must be 1 or 60")
	}
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	r := &c.state.samples
	if step == 60 {
		r = &c.state.minutes
	}
	return api.Samples{Step: step, Samples: append([]api.Sample{}, r.samples...)}, nil
}

func (c *Console) events(q *request, _ *struct{}) (any, error) { return nil, c.stream(q) }

func (c *Console) listTokens(*request, *struct{}) (api.Tokens, error) {
	out := api.Tokens{Tokens: []api.Token{}}
	for _, t := range c.tokens.list() {
		out.Tokens = append(out.Tokens, api.Token{Name: t.Name, Level: t.Level, Created: t.Created, Expires: t.Expires})
	}
	return out, nil
}

// maxTokenDays limits the days until a token expires.
const maxTokenDays = 3650

func (c *Console) addToken(q *request, in *api.NewToken) (api.TokenText, error) {
	_, known := console.ParseLevel(in.Level)
	switch {
	case !tokenName.MatchString(in.Name):
		return api.TokenText{}, badRequest("the name must have 1 to 32 letters, digits, dots, dashes and underscores")
	case !known:
		return api.TokenText{}, badRequest("level must be admin, moderator or helper")
	case in.Days < 0 || in.Days > maxTokenDays:
		return api.TokenText{}, badRequest("days must be from 0 to %d", maxTokenDays)
	}
	now := c.cfg.Now()
	var expires time.Time
	if in.Days > 0 {
		expires = now.UTC().Truncate(time.Second).AddDate(0, 0, in.Days)
	}
	text, err := c.tokens.add(in.Name, in.Level, now, expires)
	if err != nil {
		return api.TokenText{}, err
	}
	op := q.op
	if err := c.do(q.Context(), func(s Server) { s.Note(&op, "token_added", in.Name+" ("+in.Level+")") }); err != nil {
		c.tokens.remove(in.Name) // no action without its log entry
		return api.TokenText{}, err
	}
	return api.TokenText{Token: text}, nil
}

func (c *Console) removeToken(q *request, _ *struct{}) (api.Done, error) {
	name := q.URL.Query().Get("name")
	if err := c.tokens.remove(name); err != nil {
		return api.Done{}, err
	}
	op := q.op
	return api.Done{}, c.do(q.Context(), func(s Server) { s.Note(&op, "token_removed", name) })
}
