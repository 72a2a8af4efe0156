package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/teeyard/teeyard/bans"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/folder"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/mapsource"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/server/storage"
	"github.com/teeyard/teeyard/store"
	"github.com/teeyard/teeyard/transport/ws"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin"
	"github.com/teeyard/teeyard/web/broadcast"
	"github.com/teeyard/teeyard/web/play"
	"github.com/teeyard/teeyard/web/recordings"
	"github.com/teeyard/teeyard/web/viewer"
)

type serveCmd struct {
	Dir      string   `help:"Folder for the files that the server writes. It is also searched first." type:"existingdir" env:"TEEYARD_DIR"`
	Original bool     `help:"Replace teeworlds-server: use its folders and defaults." xor:"original"`
	DDNet    bool     `name:"ddnet" help:"Replace DDNet-Server: use its folders, configuration and defaults." xor:"original"`
	HTTP     string   `name:"http" help:"Address of the HTTP listener, such as 0.0.0.0:8303; sv_http overrides it." placeholder:"HOST:PORT" env:"TEEYARD_HTTP"`
	JSON     bool     `name:"json" help:"Log as JSON, one object per line."`
	Console  []string `arg:"" optional:"" passthrough:"" name:"command" help:"Console lines, as for teeworlds-server: \"sv_name x; sv_port 8304\", or -f FILE."`
}

func (serveCmd) Help() string {
	return `Without arguments this runs a deathmatch on an embedded map on UDP port 8303. If there is no
autoexec.cfg, bots fill the game up to 3 players, except with --original and --ddnet. Set "sv_bots 0"
for no bots, and their strength with sv_bot_skill from 1 to 3.

The server executes autoexec.cfg first, then the arguments, each as a line of the console. -f FILE
executes the lines of a file. Flags must come before the console lines. For all settings and
commands see docs/operate/settings.md, or type /commands in teeyard join.

  teeyard serve "sv_name My server" "sv_port 8304" "sv_rcon_password secret"

Files (autoexec.cfg, maps/NAME.map, files of -f and exec) are read from the first of these folders
that contains them:

- the current folder, or the folder of --dir
- the user's Teeworlds folder: ~/.teeworlds if it exists, otherwise $XDG_DATA_HOME/teeworlds or
  ~/.local/share/teeworlds; %APPDATA%/Teeworlds on Windows, and
  ~/Library/Application Support/Teeworlds on macOS
- the data folder of an installed Teeworlds: data/ here or beside the program, or below /usr/share,
  /usr/share/games, /usr/local/share, /usr/local/share/games, /usr/pkg/share or /opt
- /etc/teeworlds

--original searches the user's folder first, plays dm1 if it exists and sv_map is not set, and
registers the server unless sv_register is 0. --ddnet also sets the defaults of DDNet-Server, such as
ddrace and 64 players. A program or link with the name teeworlds-server, teeworlds_srv or
DDNet-Server has this flag set.

With --ddnet the folders are the user's DDNet folder (~/.local/share/ddnet), the data folder of an
installed DDNet, and the current folder. autoexec_server.cfg is preferred to autoexec.cfg, and
logfile names a file in the first folder.

A file storage.cfg in the current folder or beside the program lists other folders, as for
teeworlds-server. -f also accepts absolute paths.

The server writes to the first folder, or to the user's folder if it cannot write to the current one:

- matches to replays/ (sv_replay, sv_replay_max_files; see teeyard replay)
- bans to bans.json
- data of mods to storage.journal (sv_storage), and race results to ranks.journal (sv_ranks); servers
  in the same folder share them
- the running match to resume-PORT.state (sv_resume)
- logs to dumps/ (logfile)
- the files that save_config, bans_save and writeip name

Ctrl-C stops the server and tells the players. SIGHUP makes the server read its configuration again.
The command drain ends the server after the match.`
}

// outputTimeout limits how long the last output may take to be written.
const outputTimeout = time.Second

func newLogHandler(w io.Writer, json bool) slog.Handler {
	if json {
		return logline.NewJSON(w, slog.LevelDebug)
	}
	return logline.New(w, slog.LevelDebug)
}

// newQueue returns a log queue in front of a file or terminal. With it a program never waits for
// its output while a server or players wait for the program.
func newQueue(f io.Writer, json bool) *logline.Queue {
	return logline.NewQueue(f, func(w io.Writer) slog.Handler { return newLogHandler(w, json) })
}

// Run runs the server until a signal or "shutdown" ends it.
func (c *serveCmd) Run(p *program) error {
	ctx := untilSignal(os.Interrupt)
	o := c.original()
	files := newStorage(c.Dir, o)
	for _, line := range c.Console {
		// Flags must come before the first console line. Only two console lines begin with --; they
		// are options of teeworlds-server.
		if strings.HasPrefix(line, "--") && line != "--silent" && line != "--default" {
			return usageErrorf(`%s is not a flag of serve, or comes after console lines such as "sv_port 8304"; see %s serve --help`, line, p.name)
		}
	}
	autoexec := o.autoexec(files)
	lines := c.lines(files, autoexec)
	var filling fillingBots
	bots := 0
	if o == noOriginal && autoexec == "" {
		bots = defaultBots
	}
	defaults := slices.Clone(p.defaults)
	if c.HTTP != "" {
		defaults = append(defaults, "sv_http "+console.Quote(c.HTTP))
	}
	lines = append(slices.Clone(defaults), lines...)
	notify, notifyErr := newNotifier()
	started := make(chan *server.Server, 1)
	endOnTerm(ctx, started, notify)
	signal.Ignore(syscall.SIGPIPE) // the game continues when the reader of its log exits
	var dialect logline.DialectVar
	switch {
	case c.JSON:
		dialect.Set(logline.JSON)
	case o == ddnetServer:
		dialect.Set(logline.DDNet)
	}
	newHandler := func(w io.Writer) slog.Handler { return logline.NewDialect(w, slog.LevelDebug, &dialect) }
	stdout := logline.NewQueue(os.Stdout, newHandler)
	defer stdout.Close(outputTimeout)
	var settings web.Settings
	var adminSettings admin.Settings
	var broadcastSettings broadcast.Settings
	var finishes runs.Settings
	var input inputFifo
	var game gameServer
	fleet := fleetSettings{open: p.openBus}
	operators := admin.New(admin.Config{Settings: &adminSettings, Web: &settings, TokensFile: filepath.Join(files[0], "admin-tokens.json")})
	defer operators.Close()
	log := slog.New(slog.NewMultiHandler(newHandler(stdout), operators.LogHandler()))
	source := mapSource{Files: mapsource.New(files, reportTo(log, "maps"))}
	apart := jobs{program: p, log: log}
	converter := viewer.Converter{Convert: apart.convert, Dir: filepath.Join(files[0], recordings.ConvertedFolder), Web: &settings}
	if dir, found := files.Find(autoexec); found && dir != files[0] {
		log.Info("the configuration is " + filepath.Join(dir, autoexec))
	}
	o.hintAtDDNet(files, p, log)
	os.MkdirAll(files[0], 0o755)
	if !canWrite(files[0]) {
		log.Warn(
			fmt.Sprintf(
				"cannot write to the folder %q: the server stores no bans, replay logs, demos, ranks, data of mods, settings or matches; name another "+
					"folder with --dir",
				absolute(files[0]),
			),
		)
	}
	banned, err := bans.Open(filepath.Join(files[0], "bans.json"), nil)
	if err != nil {
		return err
	}
	sharedBans := fleetbans.NewShared(banned, nil)
	if n := banned.Torn(); n > 0 {
		log.Warn(fmt.Sprintf("the last %d bytes of bans.json are an incomplete line, as after a crash; the change to the bans in this line is lost", n))
	}
	if err := operators.TokensError(); err != nil {
		log.Warn(err.Error())
	}
	monitor := web.NewMonitor(&settings)
	playPage := play.New(&settings)
	live := broadcast.New(broadcast.Config{Settings: &broadcastSettings, Web: &settings, Dir: filepath.Join(files[0], "broadcast"), Log: log})
	defer live.Close(outputTimeout)
	monitor.Add(live.Values()...)
	monitor.AddProblem(live.Problem)
	recorded := recordings.New(recordings.Config{
		Dir: files[0], Converter: &converter, Describe: apart.describe, Delay: live.Delay, Access: broadcastSettings.RecordingsAccess(),
	})
	finder := &modFinder{own: p.mods, files: files}
	hub := ws.NewHub()
	database := databaseSetting{open: p.openDatabase}
	var before ddnetRanks
	monitor.Add(
		web.Value{
			Name: "websocket_peers",
			Kind: metrics.Gauge,
			Help: "Connections of players over WebSocket.",
			Read: func() float64 { return float64(hub.Peers()) },
		},
	)
	chooser := chooseMode
	if o == teeworldsServer {
		chooser = nil
	}
	s, err := server.New(server.Config{
		AddTransport: hub.Join,

		Commands:   lines,
		DDNet:      o == ddnetServer,
		Modes:      p.modes,
		FindMode:   finder.findMode,
		FindMod:    finder.findMod,
		ChooseMode: chooser,
		AddToConsole: func(c *console.Console) error {
			return errors.Join(
				registerSettings(c, &settings, &broadcastSettings, &converter, &adminSettings, &database, &before, &finishes, &input, &source, &game, &fleet),
				filling.register(c, bots),
				followSeats(c, &settings, hub),
			)
		},
		Observers:     []server.Observer{monitor, operators, playPage, &fleet},
		Broadcast:     live,
		Files:         source.Files,
		WriteFile:     files.WriteFile,
		Replays:       folder.Recordings{Path: filepath.Join(files[0], "replays")},
		Demos:         folder.Recordings{Path: filepath.Join(files[0], "demos"), Perm: 0o644}, // without whispers
		Teehistorians: folder.Recordings{Path: filepath.Join(files[0], "teehistorian")},       // as DDNet-Server
		Resume:        folder.Matches(files[0]),
		OpenLog:       files.OpenLog,
		Audit:         fleet.audit,
		Bans:          sharedBans,
		OpenStorage: func(name string) storage.Store {
			return store.New(filepath.Join(files[0], filepath.FromSlash(name)), func(text string) {
				log.Warn(text, logline.SystemKey, "storage")
			})
		},
		OpenRanks: func(name string) storage.Ranks {
			path := filepath.Join(files[0], filepath.FromSlash(name))
			before.hint(p, o, files, path, log)
			return runs.New(runs.Config{
				Ranks: database.openRanks(path, log), Dir: filepath.Join(files[0], "replays"), Settings: &finishes, Cut: apart.cut,
				Log: log.With(logline.SystemKey, "replay"),
			})
		},
		Stuck: func() {
			stdout.Close(outputTimeout)
			os.Exit(1)
		},
		ThreadTime: threadTime,
		Log:        log,
		Dialect:    &dialect,
	})
	if errors.As(err, new(*console.ArgumentError)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	monitor.Add(database.values()...)
	operators.Attach(s, live.Undelayed())
	defer fleet.connect(s, sharedBans, monitor, log)()
	defer serveWeb(
		ctx,
		&settings,
		&adminSettings,
		files[0],
		hub,
		monitor,
		slices.Concat(
			monitor.Rooms(), live.Rooms(), viewer.Rooms(viewer.FindData(), playPage.About),
			playPage.Rooms(s.Addr().Port()), []web.Room{converter.Room()}, recorded.Rooms(),
			operators.Rooms(),
		),
		s.Addr().Port(),
		log,
	)()
	if notifyErr != nil {
		log.Warn(notifyErr.Error())
	}
	defer notify.watch(monitor.Alive)()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer c.reloadOnHangup(ctx, s, defaults, files, autoexec, notify, log, stop)()
	defer input.read(ctx, s, files[0], log)()
	defer game.report(ctx, s, monitor, log)()
	started <- s
	filling.hint(log)
	debug.FreeOSMemory() // a server without players needs less memory than its start
	notify.send("READY=1")
	err = s.Run(ctx)
	notify.send("STOPPING=1")
	return errors.Join(err, banned.Close())
}

// reportTo returns a function that logs lines of a system.
func reportTo(log *slog.Logger, system string) func(warning bool, text string) {
	return func(warning bool, text string) {
		level := slog.LevelInfo
		if warning {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, text, logline.SystemKey, system)
	}
}

// endOnTerm ends the server after the first SIGTERM, also during the start. The server may go on
// for sv_term_drain, and systemd is asked to wait so long.
func endOnTerm(ctx context.Context, started <-chan *server.Server, notify *notifier) {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		signal.Stop(terminated) // the next signal has its default effect
		asking, stop := context.WithTimeout(ctx, endTimeout)
		defer stop()
		select {
		case s := <-started:
			endNowOrLater(asking, s, notify)
		case <-asking.Done():
			os.Exit(1)
		}
	}()
}

func endNowOrLater(ctx context.Context, s *server.Server, notify *notifier) {
	atMost, err := s.Terminate(ctx)
	if err != nil && !errors.Is(err, server.ErrClosed) {
		os.Exit(1)
	}
	if atMost > 0 {
		notify.send(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", (atMost + endTimeout).Microseconds()))
	}
	endAfter(atMost + endTimeout)
}

// registerSettings adds the variables and commands that serve has besides those of the server. They
// are on the page of settings.
func registerSettings(c *console.Console, pages *web.Settings, live *broadcast.Settings, converter *viewer.Converter, operators *admin.Settings,
	database *databaseSetting, before *ddnetRanks, finishes *runs.Settings, input *inputFifo, source *mapSource, game *gameServer, fleet *fleetSettings) error {
	return errors.Join(pages.Register(c), live.Register(c), converter.Register(c), operators.Register(c),
		database.register(c), before.register(c), finishes.Register(c), input.register(c), source.register(c), game.register(c), fleet.register(c))
}

// followSeats lets each address have the connections of as many browsers as it may have players.
func followSeats(c *console.Console, pages *web.Settings, hub *ws.Hub) error {
	const name = "sv_max_clients_per_ip"
	apply := func(*console.Call) {
		if n, err := strconv.Atoi(c.Value(name)); err == nil {
			pages.SetSeats(n)
			hub.SetSeats(n)
		}
	}
	apply(nil)
	return c.After(name, apply)
}

// original returns the server that this one replaces.
func (c *serveCmd) original() original { return chooseOriginal(c.Original, c.DDNet) }

// lines returns the console lines that configure the server. autoexec is the configuration file, or
// "" for none.
func (c *serveCmd) lines(files folder.List, autoexec string) []string {
	lines := c.original().defaults(files)
	if c.DDNet && !c.JSON {
		lines = append(lines, "log_dialect ddnet") // for the external console too
	}
	if autoexec != "" {
		lines = append(lines, "-f", autoexec)
	}
	return append(lines, c.Console...)
}

// keyFile contains the key that opens local pages on the server's own machine.
const keyFile = "http.key"

// certificateFolder contains the certificates of sv_https_domain.
const certificateFolder = "https"

// serveWeb runs the HTTP listeners until end is called. It only logs a listener that fails to open,
// since players can do without HTTP.
func serveWeb(
	ctx context.Context,
	settings *web.Settings,
	operators *admin.Settings,
	folder string,
	hub *ws.Hub,
	monitor *web.Monitor,
	rooms []web.Room,
	gamePort uint16,
	log *slog.Logger,
) (end func()) {
	log = log.With(logline.SystemKey, "http")
	listeners, err := settings.Listen(ctx, gamePort)
	if err != nil {
		log.Warn(
			fmt.Sprintf("no HTTP listener, so no page, health checks and metrics: %v; set another address with sv_http HOST:PORT, or sv_http 0 for none", err),
		)
	}
	https := openHTTPS(ctx, settings, filepath.Join(folder, certificateFolder), listeners, log)
	if len(listeners) == 0 && https == nil {
		return func() {}
	}
	monitor.Add(https.Values()...)
	monitor.AddProblem(https.Problem)
	key, err := web.OpenKey(filepath.Join(folder, keyFile))
	if err != nil {
		log.Warn(fmt.Sprintf("the key for this machine is valid only until the server ends: %v", err))
	}
	s := web.NewServer(https.Handler(key.Handler(settings.WithPlayers(hub.Serve, web.NewHandler(rooms...)))))
	serve := func(l net.Listener) {
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				log.Warn(fmt.Sprintf("the HTTP listener failed: %v", err))
			}
		}()
	}
	for _, l := range listeners {
		log.Info(fmt.Sprintf("http://%s/ shows the match%s, and serves /status.json, /healthz and /readyz to all clients", pageHost(l), reach(l)))
		serve(l)
	}
	var secure []net.Listener
	if https != nil {
		secure = https.Listeners
	}
	for _, l := range secure {
		log.Info(fmt.Sprintf("https://%s/ shows the match%s, and serves /admin to operators with the password", pageHost(l), reach(l)))
		serve(l)
	}
	ctx, stop := context.WithCancel(ctx)
	https.Start(ctx, serve)
	logPlay(log, settings, key, https.Page(), listeners, secure)
	switch page := localPage(listeners); {
	case page == "":
	case operators.AllowsMachine():
		log.Info(key.Link(page+"admin") + " is the admin page, on this machine")
	default:
		log.Info("no link to the admin page: sv_http_admin does not allow this machine")
	}
	return func() {
		stop()
		s.Close()
	}
}

// openHTTPS returns the HTTPS of the settings, or nil without one. It logs links to the pages when
// the first certificate has come.
func openHTTPS(ctx context.Context, settings *web.Settings, folder string, plain []net.Listener, log *slog.Logger) (https *web.HTTPS) {
	https, err := settings.OpenHTTPS(ctx, web.HTTPSConfig{
		Folder: folder, Plain: plain,
		Info: func(text string) { log.Info(text) }, Warn: func(text string) { log.Warn(text) },
		Ready: func() { logPages(log, https.Page()) },
	})
	if err != nil {
		log.Warn(fmt.Sprintf("no HTTPS: %v", err))
	}
	return https
}

// pageHost returns the host and port for a browser on this machine: localhost if the listener is on
// all addresses.
func pageHost(l net.Listener) string {
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", a.Port)
	}
	return l.Addr().String()
}

// reach returns a remark for the log if the listener is reachable at other addresses than pageHost.
func reach(l net.Listener) string {
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return " (so does every address of this machine)"
	}
	return ""
}

// localPage returns the address of the page for browsers on this machine, or "" if there is none.
// The host is localhost if a listener is on 127.0.0.1 or on all addresses, and otherwise the
// listener's loopback address.
func localPage(listeners []net.Listener) string {
	page := ""
	for _, l := range listeners {
		a, ok := l.Addr().(*net.TCPAddr)
		switch {
		case !ok:
		case a.IP.IsUnspecified(), a.IP.Equal(net.IPv4(127, 0, 0, 1)):
			return fmt.Sprintf("http://localhost:%d/", a.Port)
		case a.IP.IsLoopback() && page == "":
			page = fmt.Sprintf("http://%s/", a)
		}
	}
	return page
}

// reloadOnHangup reads the configuration again at each SIGHUP, until end is called. If the terminal
// that started the server hangs up, the server stops in good order instead. A configuration file
// that was read at the start must still exist.
func (c *serveCmd) reloadOnHangup(
	ctx context.Context,
	s *server.Server,
	defaults []string,
	files folder.List,
	autoexec string,
	notify *notifier,
	log *slog.Logger,
	stop func(),
) (end func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	stdin := int(os.Stdin.Fd())
	fromTerminal := term.IsTerminal(stdin)
	reload := oneAtATime(func() {
		notify.send("RELOADING=1")
		autoexec = cmp.Or(c.original().autoexec(files), autoexec)
		s.Reload(ctx, append(slices.Clone(defaults), c.lines(files, autoexec)...))
		notify.send("READY=1")
	}, func() {
		log.Warn("SIGHUP is ignored: the server is still reading the configuration for the previous one, since the disk does not answer")
	})
	go func() {
		for range hangups {
			if fromTerminal && !term.IsTerminal(stdin) {
				stop()
				return
			}
			reload()
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// oneAtATime returns a function that runs f in a goroutine. While an earlier f still runs, it calls
// busy instead.
func oneAtATime(f, busy func()) func() {
	var running atomic.Bool
	return func() {
		if !running.CompareAndSwap(false, true) {
			busy()
			return
		}
		go func() {
			defer running.Store(false)
			f()
		}()
	}
}
