package gateway

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// file is the append-only list of charges on disk, one JSON object a line.
type file struct {
	f   *os.File
	end int64 // where the last whole line ends
}

// maxLine bounds a line in bytes; a charge of the longest names takes half of it.
const maxLine = 4 << 10

// openFile opens or makes the file and gives each charge in it to keep, in order.
// A last line without its end is what a killed process left behind: its charge
// was never answered, and it is cut off. Any other line that cannot be read is
// an error.
func openFile(name string, keep func(Charge) error) (_ *file, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	var end int64
	in := bufio.NewReaderSize(f, maxLine)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("%s line %d is longer than a charge can be; it is not a gateway's file: move it away", name, n)
		}
		if err != nil {
			return nil, err
		}
		var c Charge
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s line %d is not a charge (%w); repair the line or move the file away", name, n, err)
		}
		if err := keep(c); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", name, n, err)
		}
		end += int64(len(line))
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	return &file{f: f, end: end}, nil
}

// append writes one charge. When it fails the file is as it was, or its torn
// last line is overwritten by the next append.
func (l *file) append(c Charge) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err := l.f.WriteAt(line, l.end); err != nil {
		return errors.Join(err, l.f.Truncate(l.end))
	}
	l.end += int64(len(line))
	return nil
}

func (l *file) close() error { return l.f.Close() }
