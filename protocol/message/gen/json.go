package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	messages "github.com/teeyard/teeyard/protocol/message"
)

// The types below are the format of the JSON files for generators of other languages.
// docs/protocol/schema.md describes it, and docs/protocol/schema.schema.json checks it.

type jsonSchema struct {
	Format   int           `json:"format"` // grows with changes that readers must know
	Protocol string        `json:"protocol"`
	Versions []jsonVersion `json:"versions"`
	Tunings  []jsonTuning  `json:"tunings"`
	Enums    []jsonEnum    `json:"enums"`
	Structs  []jsonStruct  `json:"structs"`
	Messages []jsonMessage `json:"messages"`
	Objects  []jsonObject  `json:"objects"`
	Packets  []jsonPacket  `json:"packets"`
}

type jsonVersion struct {
	Name   string `json:"name"`
	Number int32  `json:"number"`
	Doc    string `json:"doc"`
}

type jsonTuning struct {
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	Default int32  `json:"default"`
	Doc     string `json:"doc"`
}

type jsonEnum struct {
	Name   string      `json:"name"`
	Flags  bool        `json:"flags,omitempty"`
	Doc    string      `json:"doc"`
	Values []jsonValue `json:"values"`
}

type jsonValue struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Since string `json:"since,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

type jsonStruct struct {
	Name   string      `json:"name"`
	Doc    string      `json:"doc"`
	Fields []jsonField `json:"fields"`
}

type jsonMessage struct {
	Name       string      `json:"name"`
	Kind       string      `json:"kind"` // system or game
	ID         *int        `json:"id,omitempty"`
	UUID       string      `json:"uuid,omitempty"`
	UUIDName   string      `json:"uuid_name,omitempty"`
	Sender     string      `json:"sender"`
	Vital      bool        `json:"vital,omitempty"`
	Flush      bool        `json:"flush,omitempty"`
	Since      string      `json:"since,omitempty"`
	Until      string      `json:"until,omitempty"`
	When       string      `json:"when,omitempty"`
	Answers    []string    `json:"answers,omitempty"`
	AnsweredBy []string    `json:"answered_by,omitempty"`
	Doc        string      `json:"doc"`
	Fields     []jsonField `json:"fields"`
}

type jsonPacket struct {
	Name       string          `json:"name"`
	Kind       string          `json:"kind"`
	Mark       string          `json:"mark"`
	Sender     string          `json:"sender"`
	When       string          `json:"when,omitempty"`
	Answers    []string        `json:"answers,omitempty"`
	AnsweredBy []string        `json:"answered_by,omitempty"`
	Doc        string          `json:"doc"`
	Fields     []jsonPacketRow `json:"fields"`
}

type jsonPacketRow struct {
	Name string `json:"name"`
	Wire string `json:"wire"`
	Doc  string `json:"doc"`
}

// jsonPackets returns the packets of a schema.
func jsonPackets(s *spec) []jsonPacket {
	l := []jsonPacket{}
	for _, p := range s.Packets {
		j := jsonPacket{
			Name: p.Name, Kind: p.Kind, Mark: p.Mark, Sender: p.Dir, When: p.When, Answers: p.Answers, AnsweredBy: s.AnswersTo(p.Name),
			Doc: p.Doc, Fields: []jsonPacketRow{},
		}
		for _, f := range p.Fields {
			j.Fields = append(j.Fields, jsonPacketRow(f))
		}
		l = append(l, j)
	}
	return l
}

type jsonObject struct {
	Name     string      `json:"name"`
	Event    bool        `json:"event,omitempty"`
	Type     *int        `json:"type,omitempty"`
	UUID     string      `json:"uuid,omitempty"`
	UUIDName string      `json:"uuid_name,omitempty"`
	Ints     int         `json:"ints"`
	MinInts  *int        `json:"min_ints,omitempty"`
	SizeSent bool        `json:"size_sent,omitempty"`
	Since    string      `json:"since,omitempty"`
	Doc      string      `json:"doc"`
	Fields   []jsonField `json:"fields"` // all, beginning with those of a base
}

type jsonField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Enum     string `json:"enum,omitempty"`
	Struct   string `json:"struct,omitempty"`
	Wire     string `json:"wire,omitempty"`
	Min      *int64 `json:"min,omitempty"`
	Max      *int64 `json:"max,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
	MaxBytes int64  `json:"max_bytes,omitempty"`
	Count    int    `json:"count,omitempty"`
	Sanitize string `json:"sanitize,omitempty"`
	Default  *int64 `json:"default,omitempty"`
	Doc      string `json:"doc"`
}

// emitJSON returns the schema of a version as JSON, with everything resolved.
func emitJSON(s *spec) ([]byte, error) {
	out := jsonSchema{
		Format: 1, Protocol: s.version.title,
		// Readers get an empty list, never null.
		Versions: []jsonVersion{}, Tunings: []jsonTuning{}, Enums: []jsonEnum{}, Structs: []jsonStruct{}, Messages: []jsonMessage{}, Objects: []jsonObject{},
		Packets: []jsonPacket{},
	}
	for _, v := range s.Versions {
		out.Versions = append(out.Versions, jsonVersion{v.Name, v.Release, v.Doc})
	}
	for _, t := range s.Tunings {
		out.Tunings = append(out.Tunings, jsonTuning(*t))
	}
	for _, e := range s.Enums {
		j := jsonEnum{Name: e.Name, Flags: e.Flags, Doc: e.Doc, Values: []jsonValue{}}
		for i, v := range e.Values {
			j.Values = append(j.Values, jsonValue{v.Name, e.Number(i), v.Since, v.Doc})
		}
		out.Enums = append(out.Enums, j)
	}
	for _, t := range s.Structs {
		out.Structs = append(out.Structs, jsonStruct{t.Name, t.Doc, jsonFields(t.Fields)})
	}
	for _, m := range s.Messages {
		if m.Reserved {
			continue
		}
		j := jsonMessage{
			Name: m.Name, Kind: "game", Sender: m.Dir, Vital: m.Vital, Flush: m.Flush, Since: m.Since, Until: m.Until, When: m.When, Answers: m.Answers,
			Doc: m.Doc, Fields: jsonFields(m.Fields),
		}
		if m.System {
			j.Kind = "system"
		}
		if m.Ext == "" {
			j.ID = &m.ID
		} else {
			j.UUID, j.UUIDName = fmt.Sprint(messages.UUIDFromName(m.Ext)), m.Ext
		}
		j.AnsweredBy = s.AnswersTo(m.Name)
		out.Messages = append(out.Messages, j)
	}
	out.Packets = jsonPackets(s)
	for _, o := range s.Objects {
		j := jsonObject{
			Name: o.Name, Event: o.Event, Ints: o.Size, MinInts: o.Min, SizeSent: o.Dynamic, Since: o.Since, Doc: o.Doc, Fields: jsonFields(s.AllFields(o)),
		}
		if o.Ext == "" {
			j.Type = &o.Type
		} else {
			j.UUID, j.UUIDName = fmt.Sprint(messages.UUIDFromName(o.Ext)), o.Ext
		}
		out.Objects = append(out.Objects, j)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(out)
	return b.Bytes(), err
}

// jsonFields returns the fields with the limits that receivers check.
func jsonFields(fields []*field) []jsonField {
	l := []jsonField{}
	for _, f := range fields {
		j := jsonField{
			Name: f.Name, Type: f.Type, Enum: f.Enum, Struct: f.Struct, Wire: f.Wire, Bytes: f.Size, Count: f.Count * max(f.Inner, 1), Sanitize: f.Sanitize,
			MaxBytes: int64(f.Limit), Default: f.Default, Doc: f.Doc,
		}
		switch {
		case f.IsNumeric():
			if lo, hi, _, full := f.Bounds(); !full {
				j.Min, j.Max = &lo, &hi
			}
		case f.Type == "data":
			j.MaxBytes = *f.Max
		case f.Type == "ints":
			j.Max = f.Max
		}
		l = append(l, j)
	}
	return l
}
