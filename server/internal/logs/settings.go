package logs

import (
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// Settings holds the variables of the logs. Switches are 0 or 1. "ours" marks names that Teeworlds
// 0.7.5 lacks.
type Settings struct {
	File          string // logfile
	FileTimestamp int    // logfile_timestamp
	OutputLevel   int    // console_output_level, of the remote console
	Audit         string // sv_audit_log, ours
	Dialect       string // log_dialect, ours
	JoinDetails   int    // log_join_details, ours
}

// Register adds the variables to a console.
func (l *Logs) Register(c *console.Console) error {
	l.console = c
	s := &l.Settings
	for _, v := range []console.StringVar{
		{Name: "logfile", Help: "Filename to log all output to", Value: &s.File, Size: 128},
		{Name: "sv_audit_log", Help: "File for a line of JSON per action of an operator; used when the server starts", Value: &s.Audit, Size: 128},
		{Name: "log_dialect", Help: "Format of the log and the external console (tw07, tw06, ddnet, json)", Value: &s.Dialect, Default: "tw07", Size: 8},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []console.IntVar{
		{Name: "logfile_timestamp", Help: "Add a time stamp to the name of the log file", Value: &s.FileTimestamp, Max: 1},
		{Name: "console_output_level", Help: "Amount of output in the remote console (0 to 2)", Value: &s.OutputLevel, Max: 2},
		{Name: "log_join_details", Help: "Log a line with all details of each client that joins or leaves", Value: &s.JoinDetails, Max: 1},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	openLines := func(*console.Call) { l.openLines() }
	for _, after := range []error{
		c.After("log_dialect", l.setDialect),
		c.AfterStart("logfile", openLines),
		c.AfterStart("logfile_timestamp", openLines),
		c.AfterStart("sv_audit_log", l.setAudit),
	} {
		if after != nil {
			return after
		}
	}
	return nil
}

// setDialect applies the variable log_dialect.
func (l *Logs) setDialect(call *console.Call) {
	d, err := logline.ParseDialect(l.Settings.Dialect)
	if err != nil {
		call.Refuse("server", "log_dialect: %v", err)
		return
	}
	l.dialect = d
	l.cfg.Dialect.Set(d)
}

// setAudit handles a change of sv_audit_log while the server runs. No remote operator can turn the
// audit log off. The same value opens the file again.
func (l *Logs) setAudit(call *console.Call) {
	if l.Settings.Audit != l.audit.from {
		l.Settings.Audit = l.audit.from
		call.Warn("server", "sv_audit_log can be set only in the configuration, before the server starts")
		return
	}
	l.openAudit()
}
