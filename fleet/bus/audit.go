package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Audit sends an entry of the server's audit log, which is an object of JSON, to the administrators
// of the fleet. It never waits: if too many entries wait already, it is dropped and counted.
func (m *Member) Audit(entry []byte) {
	b := bytes.Clone(entry)
	m.audit.add(&letter{size: len(b), write: func() (string, []byte, error) {
		body, err := json.Marshal(AuditEntry{Server: m.cfg.ID, Entry: b})
		return m.fleet.audit(m.cfg.ID), body, err
	}})
}

// AuditEntry is an entry of the audit log of a server.
type AuditEntry struct {
	Server string `json:"server"`
	// ID is the same if an entry is in the stream twice, since NATS was away for some minutes.
	ID string `json:"id,omitempty"`
	// Entry is the entry as the server writes it into its own audit log.
	Entry json.RawMessage `json:"entry"`
}

// Audit calls each for the entries of the audit logs of servers from some time on, until ctx ends.
// An empty id stands for all servers. Only administrators may read them.
func (o *Operator) Audit(ctx context.Context, from time.Time, id string, each func(AuditEntry)) error {
	if id == "" {
		id = "*"
	}
	return o.follow(ctx, o.fleet.audits(), o.fleet.audit(id), from, func(m *nats.Msg) {
		var e AuditEntry
		words := strings.Split(m.Subject, ".")
		if json.Unmarshal(m.Data, &e) != nil || len(words) != 3 {
			return
		}
		e.Server = words[2] // NATS checks it
		e.ID = m.Header.Get(nats.MsgIdHdr)
		each(e)
	})
}
