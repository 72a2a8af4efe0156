package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Packet is a control message, a payload without a connection, or a datagram of Half-Life. They are
// too different for generated code; the schema describes them for the documentation and for others.
type Packet struct {
	Kind string `json:"kind"` // control, connless; query, A2S, rcon and master for Half-Life
	Name string `json:"name"` // the original's name, without NET_CTRLMSG_ for control messages
	// Mark is the sign of the packet on the wire: the id of a control message, the four letters of
	// a connless payload, the word or letter of a datagram of Half-Life.
	Mark    string   `json:"mark"`
	Dir     string   `json:"dir"` // the sender: client, server, both, or master
	When    string   `json:"when"`
	Answers []string `json:"answers"`
	Doc     string   `json:"doc"`
	Code    string   `json:"code"` // the place in this module, as folder.Name, "" if there is no single one
	Fields  []Part   `json:"fields"`

	Links Links `json:"-"`
}

// Part is a field of a Packet.
type Part struct {
	Name string `json:"name"`
	Wire string `json:"wire"` // its form on the wire, in words
	Doc  string `json:"doc"`
}

// Links are the places of a message in programs.
type Links struct {
	// Becomes is what the bridge makes of the message, as package.Name: an event, a command of the
	// game, or a method of a handler. It is "" for a message that is answered or ignored at once.
	Becomes   string    `json:"becomes"`
	Teeworlds Functions `json:"teeworlds"` // of 0.7.5
	DDNet     Functions `json:"ddnet"`     // of 20.1
}

// Functions are the functions of an original that send a message, and those that read it.
type Functions struct {
	Sent []string `json:"sent"`
	Read []string `json:"read"`
}

// HalfLife returns the packets of Half-Life's protocols.
func HalfLife() ([]*Packet, error) {
	s := &Schema{}
	if err := s.loadPackets(files.ReadFile, "halflife"); err != nil {
		return nil, err
	}
	return s.Packets, s.checkPackets()
}

// loadPackets reads the packets and the links of a version. Schemas may have none.
func (s *Schema) loadPackets(readFile func(name string) ([]byte, error), version string) error {
	var packets struct {
		Packets []*Packet `json:"packets"`
	}
	if err := readStrict(readFile, version+"_packets.json", &packets); err != nil {
		return err
	}
	s.Packets = packets.Packets
	var links map[string]map[string]Links
	if err := readStrict(readFile, "originals.json", &links); err != nil {
		return err
	}
	used := 0
	for _, m := range s.Messages {
		if l, ok := links[version][m.Name]; ok && !m.Reserved {
			m.Links = l
			used++
		}
	}
	for _, p := range s.Packets {
		if l, ok := links[version][p.Name]; ok {
			p.Links = l
			used++
		}
	}
	if used != len(links[version]) {
		return fmt.Errorf("originals.json has %d names of %s, but only %d exist", len(links[version]), version, used)
	}
	return nil
}

// readStrict decodes a JSON file, if it is not empty.
func readStrict(readFile func(name string) ([]byte, error), name string, v any) error {
	b, err := readFile(name)
	if err != nil || len(b) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Packet returns the packet with a name, nil if there is none.
func (s *Schema) Packet(name string) *Packet {
	for _, p := range s.Packets {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// checkPackets checks that the packets are complete.
func (s *Schema) checkPackets() error {
	seen := map[string]bool{}
	for _, p := range s.Packets {
		switch {
		case p.Kind == "" || p.Name == "" || p.Mark == "" || p.Doc == "":
			return fmt.Errorf("packet %q needs kind, name, mark and doc", p.Name)
		case seen[p.Name] || s.Message(p.Name) != nil:
			return fmt.Errorf("there are two packets or messages %s", p.Name)
		case p.Dir != "client" && p.Dir != "server" && p.Dir != "both" && p.Dir != "master":
			return fmt.Errorf("packet %s: %q is not a direction", p.Name, p.Dir)
		case p.When == "" && len(p.Answers) == 0:
			return fmt.Errorf("packet %s needs answers or when", p.Name)
		}
		seen[p.Name] = true
		if err := s.checkAnswersOf(p.Name, p.Answers); err != nil {
			return err
		}
		for _, f := range p.Fields {
			if f.Name == "" || f.Wire == "" || f.Doc == "" {
				return fmt.Errorf("packet %s: field %q needs name, wire and doc", p.Name, f.Name)
			}
		}
	}
	return nil
}

// checkAnswersOf checks that the messages and packets exist that another one answers.
func (s *Schema) checkAnswersOf(name string, answers []string) error {
	for _, a := range answers {
		if s.Message(a) == nil && s.Packet(a) == nil {
			return fmt.Errorf("%s answers %s, which does not exist", name, a)
		}
	}
	return nil
}
