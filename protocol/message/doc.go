// Package message contains the parts that the messages of all protocol versions share: errors,
// descriptions, texts in snapshots, and UUIDs. The subfolders of the package contain the schema
// that describes the messages, the generator, and a package per version. Package msg7 is for 0.7,
// and package msg6 is for 0.6 with the extensions of DDNet. The types of both packages reproduce
// the bytes on the wire.
//
// After a change to the files in schema, run go generate in this directory and commit the results.
package message

//go:generate go run ./gen
