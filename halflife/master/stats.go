package master

import (
	"io"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/internal/metrics"
)

// DropReason is a reason why a datagram was not answered.
type DropReason uint8

// The reasons.
const (
	// DropUnknown is a datagram that is no request, or an unexpected answer.
	DropUnknown DropReason = iota
	// DropSource is a datagram from a port below 1024.
	DropSource
	// DropRate is a request over a limit.
	DropRate
	// DropUnproven is a list request from an address that is not proved.
	DropUnproven
	// DropChallenge is a heartbeat without a valid challenge.
	DropChallenge
	// DropReserved is a heartbeat from an address that is never listed, such as one
	// of a local network.
	DropReserved
	// DropFull is a heartbeat of a new server when the list is full, or has too many
	// servers of its address.
	DropFull

	// NumDropReasons is the number of reasons.
	NumDropReasons
)

var dropNames = [NumDropReasons]string{"unknown", "source", "rate", "unproven", "challenge", "reserved", "full"}

// String returns the reason as used for metrics.
func (d DropReason) String() string { return dropNames[d%NumDropReasons] }

// Stats counts since the start.
type Stats struct {
	// Lists counts list requests by format.
	Lists [halflife.ListAll + 1]uint64
	// ChallengeRequests, Heartbeats and Shutdowns count the messages of servers.
	ChallengeRequests, Heartbeats, Shutdowns uint64
	// Probes, ProbesAnswered and ProbesFailed count probes of servers.
	Probes, ProbesAnswered, ProbesFailed uint64
	// Sent and SentBytes count datagrams.
	Sent, SentBytes uint64
	// Dropped counts datagrams without an answer.
	Dropped [NumDropReasons]uint64
	// Listed and Waiting are the numbers of servers that are on the list and that are
	// being probed for it; Players is the number of players on those listed.
	Listed, Waiting, Players int
}

// Stats returns the counters so far.
func (m *Master) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	for _, e := range m.servers {
		if !e.listed {
			s.Waiting++
			continue
		}
		s.Listed++
		s.Players += e.info.Players
	}
	return s
}

// writeMetrics writes the counters in the text format of Prometheus.
func (s *Stats) writeMetrics(to io.Writer) {
	w := metrics.NewWriter(to, "teeyard_master_")
	dropped, lists := map[string]uint64{}, map[string]uint64{}
	for d, n := range s.Dropped {
		dropped[DropReason(d).String()] = n
	}
	for f, n := range s.Lists {
		lists[halflife.ListFormat(f).String()] = n
	}
	w.Labelled("dropped_total", metrics.Counter, "Datagrams that got no answer.", "reason", dropped)
	w.Labelled("list_requests_total", metrics.Counter, "Requests for the list.", "form", lists)
	w.Value("players", metrics.Gauge, "Players on the servers of the list.", float64(s.Players))
	w.Labelled("probes_total", metrics.Counter, "Questions to servers, and how they ended.", "result",
		map[string]uint64{"sent": s.Probes, "answered": s.ProbesAnswered, "failed": s.ProbesFailed})
	w.Value("sent_bytes_total", metrics.Counter, "Bytes sent.", float64(s.SentBytes))
	w.Value("sent_datagrams_total", metrics.Counter, "Datagrams sent.", float64(s.Sent))
	w.Labelled("server_messages_total", metrics.Counter, "What servers sent.", "kind",
		map[string]uint64{"hello": s.ChallengeRequests, "heartbeat": s.Heartbeats, "shutdown": s.Shutdowns})
	w.Labelled("servers", metrics.Gauge, "Servers on the list, and those that have not shown yet that they are one.", "state",
		map[string]uint64{"listed": uint64(s.Listed), "waiting": uint64(s.Waiting)})
}
