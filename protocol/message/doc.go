// Package message is the home of the game's messages: the schema that describes
// them, the generator, and below it one package per protocol version with exact
// types that reproduce the bytes of the wire: msg7, and msg6 with the extensions of
// DDNet. It has itself what the versions have in common, which they offer under the
// same names.
//
// The files in schema are the source. After a change to them run go generate in
// this directory; the results are checked in.
package message

//go:generate go run ./gen
