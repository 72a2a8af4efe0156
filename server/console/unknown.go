package console

import "strings"

// unknownCommand is a command of the configuration that nothing had registered when it was to
// run. Modes and mods register theirs later.
type unknownCommand struct {
	name     string // in lower case
	part     string
	who      Caller
	at       []filePosition
	argument bool // of the program itself, and not of a file
	reported bool
}

// keepUnknown keeps a command of the configuration that does not exist, for Start or Reload to say
// so. It reports whether it did.
func (c *Console) keepUnknown(name, part string, who Caller) bool {
	if who.IsRemote() || who.ID >= 0 || c.started && c.reload == nil || len(c.unknown) == maxWaiting {
		return false
	}
	u := unknownCommand{name: strings.ToLower(name), part: part, who: who, argument: c.inArgument && len(c.openFiles) == 0}
	if n := len(c.openFiles); n > 0 {
		u.at = []filePosition{c.openFiles[n-1]}
	}
	c.unknown = append(c.unknown, u)
	return true
}

// UnknownValues returns the arguments of unknown commands of the configuration, by their names in
// lower case. They may be variables that are registered later.
func (c *Console) UnknownValues() map[string]string {
	values := map[string]string{}
	for i := range c.unknown {
		_, rest := splitName(c.unknown[i].part)
		if args, _, err := parseArgs(rest, []param{{kind: 'r'}}); err == nil {
			values[c.unknown[i].name] = args[0]
		}
	}
	return values
}

// RunUnknown runs the commands of the configuration with a name that did not exist at that time.
func (c *Console) RunUnknown(name string) {
	var kept, now []unknownCommand
	for _, u := range c.unknown {
		if u.name == strings.ToLower(name) {
			now = append(now, u)
		} else {
			kept = append(kept, u)
		}
	}
	c.unknown = kept
	defer c.enter()()
	for _, u := range now {
		c.inArgument = u.argument && !c.started
		c.at(u.at, func() { c.run(u.part, u.who) })
		c.inArgument = false
	}
}

// CheckArgs returns an [ArgumentError] for a mistaken argument of ExecuteArgs that
// Config.KeepUnknown keeps: a single word, or a name close to an existing command. Call it after
// modes and mods have registered their variables and commands. The error may also be about a value
// of one of these.
func (c *Console) CheckArgs() error {
	if c.argumentErr != nil {
		return &ArgumentError{c.argumentErr}
	}
	for i := range c.unknown {
		u := &c.unknown[i]
		name, rest := splitName(u.part)
		if !u.argument || isOfDDNet(name) {
			continue
		}
		if meant := c.suggest(name, u.who); meant != "" {
			return &ArgumentError{unknownArgument(name, meant)}
		}
		if rest == "" {
			return &ArgumentError{noCommand(name)}
		}
	}
	return nil
}

// reportUnknown prints the commands of the configuration that do not exist, and the names of DDNet
// in a summary. The commands are kept: a later mode may have them.
func (c *Console) reportUnknown() {
	defer c.reportDDNet()
	for i := range c.unknown {
		if u := &c.unknown[i]; !u.reported {
			u.reported = true
			name, _ := splitName(u.part)
			if isOfDDNet(name) {
				c.ignore(name)
				continue
			}
			c.at(u.at, func() { c.warn(u.who, "Console", "No such command: %s.%s", name, c.suggestion(name, u.who)) })
		}
	}
}

// at runs f for a command that was in a file.
func (c *Console) at(where []filePosition, f func()) {
	before := c.openFiles
	c.openFiles = where
	f()
	c.openFiles = before
}

// Wait postpones a command until the world exists, after the commands that already wait.
func (c *Console) Wait(call *Call) {
	e := c.find(call.Name, call.Caller.Flags)
	if len(c.waiting) == maxWaiting {
		c.warn(call.Caller, "Console", "Too many commands wait for the start.")
		return
	}
	w := waitingCommand{e: e, call: *call}
	if n := len(c.openFiles); n > 0 {
		w.at = []filePosition{c.openFiles[n-1]}
	}
	c.waiting = append(c.waiting, w)
}

// Unregister removes the command or variable of a name.
func (c *Console) Unregister(name string) {
	key := strings.ToLower(name)
	for _, e := range c.byName[key] {
		for i := range c.sorted {
			if c.sorted[i] == e {
				c.sorted = append(c.sorted[:i:i], c.sorted[i+1:]...)
				break
			}
		}
	}
	delete(c.byName, key)
}
