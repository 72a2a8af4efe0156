// Package master knows the masters of Teeworlds and DDNet, which are the lists of
// game servers: it reads them (Fetch, ListUDP) and puts servers onto them
// (Registrar).
//
//	kind          versions    list                     announcing
//	HTTP, DDNet   0.6, 0.7    servers.json with infos  register requests, a challenge by UDP
//	UDP           0.6         req2, port 8300          heartbeats, probes by UDP
//	UDP, tokens   0.7         req2, port 8283          the same in packets with tokens
//
// Nothing here uses the network before it is told which master to use.
package master
