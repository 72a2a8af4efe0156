//go:build peers

package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
)

// BenchmarkBus compares servers of a fleet without clients to servers without a fleet. Each figure
// is the average of the servers.
func BenchmarkBus(b *testing.B) {
	const servers = 5
	n := peers.NewNATS(b, "")
	n.Start()
	all := map[string][]*peers.Process{}
	for i := range servers {
		for prefix, settings := range map[string]string{"alone-": "", "fleet-": fmt.Sprintf("; sv_nats %s; sv_fleet bench; sv_fleet_id s%d", n.URL(), i)} {
			home := b.TempDir()
			all[prefix] = append(all[prefix], peers.Start(b, home, []string{"HOME=" + home, "XDG_DATA_HOME="}, peers.FleetProgram(b), "serve",
				"sv_bots 0; bindaddr 127.0.0.1; "+peers.PortSetting(peers.FreeAddr(b))+settings))
		}
	}
	time.Sleep(measureTime(b, 20*time.Second))
	s := samples{}
	for range b.N {
		began := time.Now()
		used := map[string]time.Duration{}
		for prefix, processes := range all {
			for _, p := range processes {
				used[prefix] -= p.CPUTime(b)
			}
		}
		time.Sleep(measureTime(b, time.Minute))
		for prefix, processes := range all {
			var sum peers.Memory
			for _, p := range processes {
				m := p.Memory(b)
				sum.RSS, sum.Private, sum.PSS = sum.RSS+m.RSS, sum.Private+m.Private, sum.PSS+m.PSS
				used[prefix] += p.CPUTime(b)
			}
			s.add(prefix+"ms-CPU/s", milliseconds(used[prefix])/servers/time.Since(began).Seconds())
			s.add(prefix+"RSS-MB", float64(sum.RSS)/servers/1e6)
			s.add(prefix+"private-MB", float64(sum.Private)/servers/1e6)
			s.add(prefix+"PSS-MB", float64(sum.PSS)/servers/1e6)
		}
	}
	s.report(b)
}
