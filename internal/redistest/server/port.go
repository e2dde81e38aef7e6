package server

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports lie below those that systems give to outgoing connections (32768 and up), so that none of these takes the port
// of a server that is down for a moment; a cluster's own bus uses the port plus busOffset. Redis' own 6379 is not among them.
const (
	firstPort = 10_000
	busOffset = 10_000
)

// reserve finds a free port on loopback and keeps it from other processes that ask here, by the UDP port of the same
// number, until the connection is closed.
func reserve() (port int, held net.PacketConn, err error) {
	for range 200 {
		port = firstPort + rand.IntN(busOffset)
		held, err = net.ListenPacket("udp4", loopback(port))
		if err != nil {
			continue
		}
		if free(port) && free(port+busOffset) {
			return port, held, nil
		}
		held.Close()
	}
	return 0, nil, errors.Join(errors.New("redis server: no free port on loopback"), err)
}

func free(port int) bool {
	l, err := net.Listen("tcp4", loopback(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }
