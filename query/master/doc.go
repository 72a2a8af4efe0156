// Package master reads the lists of the master servers of Teeworlds and DDNet (Fetch, ListUDP) and
// registers servers with them (Registrar).
//
//	kind          versions    list                     registration
//	HTTP, DDNet   0.6, 0.7    servers.json with infos  register requests, a challenge by UDP
//	UDP           0.6         req2, port 8300          heartbeats, probes by UDP
//	UDP, tokens   0.7         req2, port 8283          the same in packets with tokens
package master
