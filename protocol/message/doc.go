// Package message contains what the messages of all protocol versions have in common:
// errors, descriptions, texts in snapshots and UUIDs. Below it are the schema that
// describes the messages, the generator, and one package per version with types that
// reproduce the bytes on the wire: msg7, and msg6 with the extensions of DDNet.
//
// After a change to the files in schema run go generate in this directory; the
// results are checked in.
package message

//go:generate go run ./gen
