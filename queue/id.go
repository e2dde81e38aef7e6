package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// ID names one job for ever. It is derived from the job's kind and key ([NewID]), so that the same
// request makes the same job however often it is sent. The zero ID names no job.
type ID [16]byte

// NewID derives the id of the job of this kind with this key: the first 16 bytes of SHA-256 over both,
// each preceded by its length, so that no two pairs run together.
func NewID(kind, key string) ID {
	buf := make([]byte, 0, 128)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(kind)))
	buf = append(buf, kind...)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(key)))
	buf = append(buf, key...)
	sum := sha256.Sum256(buf)
	return ID(sum[:16])
}

// ParseID reads the 32 hexadecimal digits that String writes. It fails with ErrInvalid.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 2*len(id) {
		return ID{}, &Error{Op: "parse id", Subject: fmt.Sprintf("%.40q", s), Reason: ErrInvalid,
			Detail: fmt.Sprintf("an id has %d hexadecimal digits, this has %d characters", 2*len(id), len(s)),
			Remedy: "copy it whole, as `twice jobs` prints it"}
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, &Error{Op: "parse id", Subject: fmt.Sprintf("%q", s), Reason: ErrInvalid,
			Detail: "it has a character that is no hexadecimal digit", Remedy: "copy it whole, as `twice jobs` prints it"}
	}
	return id, nil
}

// String gives the id as 32 lower-case hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// IsZero reports whether id names no job.
func (id ID) IsZero() bool { return id == ID{} }

// MarshalText implements [encoding.TextMarshaler]; the zero ID is the empty text.
func (id ID) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	return hex.AppendEncode(nil, id[:]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID{}
		return nil
	}
	parsed, err := ParseID(string(text))
	*id = parsed
	return err
}

// FingerprintOf is the default fingerprint of a payload: the first 8 bytes of its SHA-256. Two requests
// with one id and different fingerprints are a conflict; so it never answers 0, which means "not set".
func FingerprintOf(payload []byte) uint64 {
	sum := sha256.Sum256(payload)
	return max(1, binary.BigEndian.Uint64(sum[:8]))
}
