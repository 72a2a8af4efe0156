package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/dissector"
	"github.com/teeyard/teeyard/internal/dump"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/server/record"
)

type dumpCmd struct {
	File    string   `arg:"" optional:"" help:"Capture file in pcap or pcapng format, a demo or a teehistorian; - reads the standard input."`
	JSON    bool     `name:"json" help:"Print JSON, one object per line."`
	Objects bool     `help:"Print the objects of every snapshot."`
	Changes bool     `help:"Print the objects and fields that changed since the base of every snapshot."`
	Port    uint16   `help:"UDP port of the server; other ports are ignored. By default handshakes and messages show the server."`
	From    string   `help:"Only datagrams from the client, or from the server." enum:"client,server," default:""`
	Message []string `short:"m" help:"Only messages with these names, such as Cl_Say, SNAP* or 'sv_*'."`
	Conn    int      `help:"Only the connection with this number."`
	Broken  bool     `help:"Only packets and messages with errors."`

	Wireshark bool `help:"Print a dissector for Wireshark and tshark in Lua, with all messages and fields, and end."`
}

func (dumpCmd) Help() string {
	return `Decodes traffic of Teeworlds 0.7, 0.6 and DDNet: control messages, system and game messages, and
snapshots with their deltas applied. The version of each connection is detected. A line shows the
time in seconds, the number of the datagram, the connection (1> from the client, 1< from the
server) and the content. Errors follow two exclamation marks.

For a demo it decodes the chunks: ticks, snapshots and messages, each with its position in the file.
For a teehistorian (sv_tee_historian of DDNet-Server) it decodes the records.

  tcpdump -i any -w play.pcap udp port 8303
  teeyard dump play.pcap -m Sv_Chat -m Cl_Say
  teeyard dump demos/match.demo -m Sv_KillMsg
  teeyard dump --wireshark > teeworlds.lua
  tshark -X lua_script:teeworlds.lua -r play.pcap -Y tw7.sv_chat`
}

// Run explains the capture.
func (c *dumpCmd) Run() error {
	switch {
	case c.Wireshark && c.File == "":
		lua, err := dissector.Lua()
		if err == nil {
			_, err = os.Stdout.WriteString(lua)
		}
		return err
	case c.Wireshark:
		return usageErrorf("--wireshark prints a dissector and takes no file")
	case c.File == "":
		return usageErrorf("dump: the name of a file is missing; - reads the standard input")
	}
	for _, pattern := range c.Message {
		if _, err := path.Match(pattern, ""); err != nil {
			return usageErrorf("--message %s: %w", pattern, err)
		}
	}
	matched := make([]bool, len(c.Message))
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		f, err := openInput(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	file := bufio.NewReader(in)
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	var line []byte
	d := dump.New(dump.Config{Port: c.Port, Objects: c.Objects, Changes: c.Changes}, func(r *dump.Record) {
		if !c.matches(r, matched) {
			return
		}
		if line = line[:0]; c.JSON {
			line = r.AppendJSON(line)
		} else {
			line = r.AppendText(line)
		}
		out.Write(line)
	})
	begin, _ := file.Peek(16)
	isCapture := false
	var err error
	switch {
	// The suffix counts too, so that the error names the fault.
	case dump.IsDemo(begin), strings.HasSuffix(c.File, record.DemoSuffix):
		err = d.ReadDemo(file)
	case teehistorian.Is(begin), strings.HasSuffix(c.File, record.TeehistorianSuffix):
		err = d.ReadTeehistorian(file)
	default:
		isCapture = true
		err = dump.ReadCapture(file, d.Feed)
	}
	if flushed := out.Flush(); flushed != nil {
		if errors.Is(flushed, syscall.EPIPE) { // the reader has closed the pipe, for example "| head"
			return nil
		}
		return flushed
	}
	s := d.Stats()
	if isCapture {
		fmt.Fprintf(os.Stderr, "%s, %s, ", words.Count(s.Datagrams, "datagram"), words.Count(s.Connections, "connection"))
	}
	fmt.Fprintf(
		os.Stderr,
		"%s, %s (%d more without their base), %s\n",
		words.Count(s.Messages, "message"),
		words.Count(s.Snapshots, "snapshot"),
		s.Unresolved,
		words.Count(s.Faults, "fault"),
	)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	for i, pattern := range c.Message {
		if !matched[i] && !dump.HasName(func(name string) bool { return matchesName(pattern, name) }) {
			return usageErrorf("--message %s: no message matches this name", pattern)
		}
	}
	return nil
}

func matchesName(pattern, name string) bool {
	ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok
}

// matches reports whether a record passes the filters. It sets matched[i] for each name pattern i
// that the record matches.
func (c *dumpCmd) matches(r *dump.Record, matched []bool) bool {
	ok := len(c.Message) == 0
	for i, pattern := range c.Message {
		if matchesName(pattern, r.Name) {
			ok, matched[i] = true, true
		}
	}
	return ok && !(c.From != "" && r.From != c.From || c.Conn != 0 && r.Conn != c.Conn || c.Broken && len(r.Faults) == 0)
}
