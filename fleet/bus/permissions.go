package bus

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
)

// User is a member of a fleet in the configuration of nats-server: a server, or an operator with a
// Level.
type User struct {
	Name  string
	Level string   // "" for a server
	Key   string   // public nkey
	Tags  []string // of a server
}

// permissions are the subjects of a user.
type permissions struct{ publish, subscribe []string }

// permissions returns what a user of a fleet may do.
func (f fleet) permissions(u *User) (p permissions) {
	allow := func(format string, args ...any) { p.publish = append(p.publish, fmt.Sprintf(format, args...)) }
	p.subscribe = []string{inboxPrefix(u.Name) + ".>"}
	read := func(name string) {
		allow("$JS.API.STREAM.INFO.%s", name)
		allow("$JS.API.STREAM.MSG.GET.%s", name)
		allow("$JS.API.DIRECT.GET.%s.>", name)
		allow("$JS.API.CONSUMER.CREATE.%s", name)
		allow("$JS.API.CONSUMER.CREATE.%s.>", name)
		allow("$JS.API.CONSUMER.INFO.%s.>", name)
		allow("$JS.API.CONSUMER.DELETE.%s.>", name)
		allow("$JS.FC.%s.>", name)
	}
	allow("$JS.API.INFO")
	if u.Level == "" {
		allow("%s", subject(f.servers(), u.Name))
		allow("%s", subject(f.bans(), u.Name+".>"))
		allow("%s", f.event(u.Name, ">"))
		allow("%s", f.audit(u.Name))
		allow("$JS.API.STREAM.INFO.%s", stream(f.servers()))
		allow("$JS.API.STREAM.INFO.%s", f.events())
		allow("$JS.API.STREAM.INFO.%s", f.audits())
		read(stream(f.bans()))
		allow("$JS.API.STREAM.INFO.%s", stream(f.snapshots()))
		allow("$JS.API.STREAM.MSG.GET.%s", stream(f.snapshots()))
		allow("$JS.API.DIRECT.GET.%s.>", stream(f.snapshots()))
		for _, t := range targets(u.Name, u.Tags) {
			p.subscribe = append(p.subscribe, f.console("*", "*", t))
		}
		return p
	}
	for _, level := range Levels[slices.Index(Levels, u.Level):] {
		allow("%s.console.%s.%s.>", f, level, u.Name)
	}
	if u.Level != "helper" {
		allow("%s", subject(f.bans(), "op-"+u.Name+".>"))
	}
	if u.Level == "admin" {
		allow("%s", subject(f.snapshots(), "bans"))
		allow("$JS.API.>")
		allow("$JS.FC.>")
		return p
	}
	for _, name := range []string{stream(f.servers()), stream(f.bans()), stream(f.snapshots()), f.events()} {
		read(name)
	}
	allow("$JS.API.STREAM.INFO.%s", f.audits()) // whether it exists; only administrators read it
	allow("$JS.API.STREAM.NAMES")
	return p
}

// WriteUsers returns the part of nats-server.conf that gives the users of a fleet their
// permissions.
func WriteUsers(of string, users []User) (string, error) {
	err := CheckName("the fleet", of)
	names := map[string]bool{}
	for _, u := range users {
		err = errors.Join(err, CheckName("the name", u.Name))
		if u.Level != "" && !slices.Contains(Levels, u.Level) {
			err = errors.Join(err, fmt.Errorf("%s: the level %q is not one of %s", u.Name, u.Level, strings.Join(Levels, ", ")))
		}
		for _, tag := range u.Tags {
			err = errors.Join(err, CheckName("the tag", tag))
		}
		if u.Level == "" && strings.HasPrefix(u.Name, "op-") {
			err = errors.Join(err, fmt.Errorf("%s: names of servers cannot begin with op-, which marks operators", u.Name))
		}
		if names[u.Name] {
			err = errors.Join(err, fmt.Errorf("%s is listed twice", u.Name))
		}
		names[u.Name] = true
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Users of the fleet %s, by teeyard-fleet conf.\nauthorization {\n\tusers = [\n", of)
	for i := range users {
		u := &users[i]
		p := fleet(of).permissions(u)
		fmt.Fprintf(&b, "\t\t# %s, %s\n\t\t{\n\t\t\tnkey: %s\n\t\t\tpermissions {\n", u.Name, cmp.Or(u.Level, "server"), u.Key)
		writeList(&b, "publish", p.publish)
		writeList(&b, "subscribe", p.subscribe)
		if u.Level == "" {
			b.WriteString("\t\t\t\tallow_responses: true\n") // to operators
		}
		b.WriteString("\t\t\t}\n\t\t}\n")
	}
	b.WriteString("\t]\n}\n")
	return b.String(), nil
}

func writeList(b *strings.Builder, name string, subjects []string) {
	fmt.Fprintf(b, "\t\t\t\t%s: {\n\t\t\t\t\tallow: [\n", name)
	for _, s := range subjects {
		fmt.Fprintf(b, "\t\t\t\t\t\t%q\n", s)
	}
	b.WriteString("\t\t\t\t\t]\n\t\t\t\t}\n")
}

// OpenKey returns the public nkey of a user whose seed is in the file NAME.nk of a folder. It
// creates the file if there is none.
func OpenKey(dir, name string) (public string, created bool, err error) {
	path := filepath.Join(dir, name+".nk")
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return "", false, err
		}
		if seed, err = pair.Seed(); err != nil {
			return "", false, err
		}
		if err := os.WriteFile(path, append(seed, '\n'), 0o600); err != nil {
			return "", false, err
		}
		created = true
	} else if err != nil {
		return "", false, err
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", path, err)
	}
	public, err = pair.PublicKey()
	return public, created, err
}
