package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/teeyard/teeyard/fleet/bus"
)

type confCmd struct {
	Fleet string   `help:"Name of the fleet (sv_fleet)." default:"fleet" placeholder:"NAME" env:"TEEYARD_FLEET"`
	Keys  string   `help:"Folder for the keys. A key that is there stays." default:"keys" placeholder:"DIR"`
	Out   string   `short:"o" help:"File to write." default:"fleet.conf" placeholder:"FILE"`
	Users []string `arg:"" name:"name" help:"Servers as ID or ID:TAG,TAG (sv_fleet_id), and operators as NAME=LEVEL: admin, moderator or helper."`
}

func (confCmd) Help() string {
	return `Writes a file for nats-server that lets each server and operator do what they need, and nothing else.
Write "include fleet.conf" into nats-server.conf, start nats-server -c nats-server.conf, and give each
its key: sv_nats_creds keys/NAME.nk, or --creds keys/NAME.nk for operators. To add a name, repeat the
command with all names, and reload nats-server. To revoke a key, remove its file first.

  teeyard-fleet conf alice=admin bob=moderator vm-8303 vm-8304:eu,ddrace`
}

// Run writes the file and the keys.
func (c *confCmd) Run() error {
	var users []bus.User
	for _, arg := range c.Users {
		name, level, operator := strings.Cut(arg, "=")
		if operator && level == "" {
			return fmt.Errorf("%s has no level; write %sadmin, %smoderator or %shelper", arg, arg, arg, arg)
		}
		name, tags, tagged := strings.Cut(name, ":")
		if operator && tagged {
			return fmt.Errorf("%s: only servers have tags", arg)
		}
		u := bus.User{Name: name, Level: level}
		if tagged {
			u.Tags = strings.Split(tags, ",")
		}
		users = append(users, u)
	}
	if _, err := bus.WriteUsers(c.Fleet, users); err != nil { // before keys are created
		return err
	}
	if err := os.MkdirAll(c.Keys, 0o700); err != nil {
		return err
	}
	for i := range users {
		key, created, err := bus.OpenKey(c.Keys, users[i].Name)
		if err != nil {
			return err
		}
		users[i].Key = key
		if created {
			fmt.Println("new key:", filepath.Join(c.Keys, users[i].Name+".nk"))
		}
	}
	text, err := bus.WriteUsers(c.Fleet, users)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.Out, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s has %d users\n", c.Out, len(users))
	return nil
}
