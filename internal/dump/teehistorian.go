package dump

import (
	"cmp"
	"encoding/hex"
	"io"
	"slices"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	protocolmessage "github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// extraFields lists the fields in the data of an Extra: integers, texts, and UUIDs of 16 bytes.
var extraFields = map[protocolmessage.UUID][]string{
	teehistorian.ExtraJoin6:         {"client"},
	teehistorian.ExtraJoin7:         {"client"},
	teehistorian.ExtraPlayerRejoin6: {"client"},
	teehistorian.ExtraReady:         {"client"},
	teehistorian.ExtraTeam:          {"client", "team"},
	teehistorian.ExtraPractice:      {"team", "practice"},
	teehistorian.ExtraDDNetVersion:  {"client", "uuid", "version", "text"},
	teehistorian.ExtraDDNetOld:      {"client", "version"},
	teehistorian.ExtraAuthInit:      {"client", "level", "text"},
	teehistorian.ExtraAuthLogin:     {"client", "level", "text"},
	teehistorian.ExtraAuthLogout:    {"client"},
	teehistorian.ExtraSwap:          {"client", "with"},
	teehistorian.ExtraSaved:         {"team", "uuid", "text"},
	teehistorian.ExtraSaveFailed:    {"team"},
	teehistorian.ExtraLoaded:        {"team", "uuid", "text"},
	teehistorian.ExtraLoadFailed:    {"team"},
	teehistorian.ExtraPlayerName:    {"client", "text"},
	teehistorian.ExtraPlayerFinish:  {"client", "ticks"},
	teehistorian.ExtraTeamFinish:    {"team", "ticks"},
	teehistorian.ExtraTest:          {},
	teehistorian.ExtraView:          {"client", "x", "y"},
}

// ReadTeehistorian explains a teehistorian record by record, in the way of [Decoder.ReadDemo].
// Messages are explained as in captures. The other kinds are the kinds of the file; "extra" has the
// name of its content.
func (d *Decoder) ReadTeehistorian(r io.Reader) error {
	file, err := teehistorian.NewReader(r)
	if err != nil {
		return err
	}
	h := file.Header()
	fs := Fields{
		{"version", h.Version + "." + h.VersionMinor}, {"server", h.ServerVersion}, {"game", h.GameUUID}, {"time", h.StartTime}, {"name", h.ServerName},
		{"type", h.GameType}, {"map", h.MapName}, {"map_bytes", h.MapSize}, {"map_sha256", h.MapSHA256}, {"random", h.PRNG},
	}
	for _, m := range []struct {
		name   string
		values map[string]string
	}{{"config", h.Config}, {"tuning", h.Tuning}} {
		var all Fields
		for k, v := range m.values {
			all = append(all, Field{k, v})
		}
		slices.SortFunc(all, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
		fs = append(fs, Field{m.name, all})
	}
	d.emitRecord(&Record{Kind: "teehistorian", Name: "header", Fields: fs, InFile: true})
	var version [teehistorian.MaxClients]int
	for {
		var rec teehistorian.Record
		start := file.Offset()
		if err := file.Next(&rec); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		d.numDatagrams++
		record := &Record{Datagram: d.numDatagrams, InFile: true, Size: int(file.Offset() - start)}
		record.Time = time.Duration(rec.Tick) * time.Second / teehistorian.TickRate
		record.addField("tick", rec.Tick)
		d.explainTeehistorianRecord(record, &rec, &version)
		record.addField("offset", start)
		d.emitRecord(record)
	}
}

// explainTeehistorianRecord explains a record. version has the protocol version of each client, or
// 0 if it is unknown.
func (d *Decoder) explainTeehistorianRecord(r *Record, rec *teehistorian.Record, version *[teehistorian.MaxClients]int) {
	r.Kind = rec.Kind.String()
	if rec.Kind != teehistorian.Extra && rec.Kind != teehistorian.Finish {
		r.addField("client", rec.Client)
	}
	switch rec.Kind {
	case teehistorian.Moved, teehistorian.New:
		r.addField("x", rec.Pos.X)
		r.addField("y", rec.Pos.Y)
	case teehistorian.InputDiff, teehistorian.InputNew:
		for i, name := range []string{"direction", "target_x", "target_y", "jump", "fire", "hook", "flags", "wanted_weapon", "next_weapon", "prev_weapon"} {
			r.addField(name, rec.Input[i])
		}
	case teehistorian.Message:
		d.stats.Messages++
		protocol := 6
		if version[rec.Client] == 7 {
			protocol = 7
		}
		r.Kind = "chunk"
		d.explainMessage(r, protocol, rec.Data, 0)
	case teehistorian.Drop:
		version[rec.Client] = 0
		r.addField("reason", rec.Reason)
	case teehistorian.Command:
		r.Name = rec.Name
		r.addField("flags", rec.Flags)
		args := []any{}
		for _, a := range rec.Args {
			args = append(args, a)
		}
		r.addField("args", args)
	case teehistorian.Extra:
		r.explainExtra(rec)
		if rec.ID == teehistorian.ExtraJoin7 {
			var u packer.Unpacker
			u.Reset(rec.Data)
			if id := u.Int(); id >= 0 && int(id) < len(version) {
				version[id] = 7
			}
		}
	}
}

func (r *Record) explainExtra(rec *teehistorian.Record) {
	fields, known := extraFields[rec.ID]
	if r.Name = rec.ExtraName(); !known {
		if r.Name == "" {
			r.Name = "unknown"
			r.addField("uuid", rec.ID.String())
		}
		r.addHex(rec.Data)
		return
	}
	var u packer.Unpacker
	u.Reset(slices.Clone(rec.Data))
	for _, name := range fields {
		switch name {
		case "uuid":
			r.addField(name, hex.EncodeToString(u.Raw(16)))
		case "text":
			r.addField(name, string(u.String(packer.SanitizeNone)))
		default:
			r.addField(name, u.Int())
		}
	}
	if u.Err() != nil {
		r.addFault("%v", u.Err())
	} else if u.Len() > 0 {
		r.addFault("%d bytes too many", u.Len())
	}
}
