package httpapi

import (
	"context"
	_ "embed"
	"encoding/json"
)

// description is the OpenAPI 3.1 document. The test of its name makes it of the table of routes and of the types,
// and fails where it is stale:
//
//	go test ./httpapi -run TestDescription -update
//
//go:embed openapi.json
var description []byte

func (s *Server) describe(context.Context, *call) (json.RawMessage, error) { return description, nil }
