package bridge7

// standardMaps are the maps shipped with releases of 0.7. The original client refuses any other map
// with one of these names.
var standardMaps = []struct {
	name string
	crc  uint32
	size int
}{
	{"ctf1", 0x22bf58cc, 5731},
	{"ctf2", 0x4a5ee326, 24440},
	{"ctf3", 0xa3739d41, 5903},
	{"ctf4", 0xbe7c4db9, 12030},
	{"ctf5", 0x20b97905, 10292},
	{"ctf5", 0x3a1694a7, 10250},
	{"ctf6", 0x28c84351, 26927},
	{"ctf7", 0xec97bf07, 6454},
	{"ctf8", 0x68e543d2, 16091},
	{"dm1", 0x64548818, 6793},
	{"dm2", 0x054b1259, 9601},
	{"dm3", 0x77523f3e, 75957},
	{"dm6", 0x474da235, 7829},
	{"dm7", 0xa0092906, 10910},
	{"dm7", 0xce1484ea, 9685},
	{"dm8", 0x18396d44, 70301},
	{"dm9", 0x51649e61, 8587},
	{"lms1", 0xb2714ade, 11571},
}

// refusalReason returns why the original client refuses a map with a file of size bytes, "" if it
// accepts the map.
func refusalReason(name string, crc uint32, size int) string {
	known := false
	for i := range standardMaps {
		s := &standardMaps[i]
		if s.name != name {
			continue
		}
		if s.crc == crc && s.size == size {
			return ""
		}
		known = true
	}
	if known {
		return "invalid standard map"
	}
	return ""
}
