package dump

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/teeyard/teeyard/internal/pcap"
)

// ErrCapture means that a file is not a capture, or that it is damaged or cut off.
var ErrCapture = errors.New("dump: bad capture file")

// ReadCapture reads a pcap or pcapng file and calls f with each UDP datagram in it. For a damaged
// packet, the Datagram has a Fault. It is valid until f returns. The error is an ErrCapture;
// everything before it was good.
func ReadCapture(r io.Reader, f func(*Datagram)) error {
	capture, err := pcap.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCapture, err)
	}
	var start time.Time
	for n := 1; ; n++ {
		p, err := capture.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: packet %d: %w", ErrCapture, n, err)
		}
		if n == 1 {
			start = p.Time
		}
		g := Datagram{Time: p.Time.Sub(start)}
		udp, err := p.UDP()
		switch {
		case errors.Is(err, pcap.ErrNotUDP):
			continue
		case errors.Is(err, pcap.ErrFragment):
			g.Fault = "a fragment of a datagram; dump does not reassemble fragments"
		case err != nil:
			g.Fault = err.Error()
		default:
			g.Src, g.Dst, g.Payload, g.Missing = udp.Src, udp.Dst, udp.Payload, udp.Missing
		}
		f(&g)
	}
}
