// Package udp sends and receives datagrams over UDP, many at a time.
package udp
