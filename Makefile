# make test     every test, with the race detector where there is a C compiler, on a redis-server, a Chromium and a spin that it installs where it can
# make lint     vet, staticcheck, formatting, generated files, a tidy module
# make evidence record what the README links to under docs/evidence
# make docs     write the generated pages again
# make prove    the proof kit, the explorer, histories, and the protocol's model with its mutants (spin, 7 GB)
# make bench    ours beside its peers: half an hour on a quiet machine

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.0
RACE        := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)
# Campaigns start, stop and kill processes of their own: nothing else runs beside them. What `twice prove` runs are the same
# campaigns at length, so without the race detector.
CAMPAIGNS   := ./proof/campaign
PROOF       := ./proof/prove
OTHERS       = $(shell $(GO) list ./... | grep -v -e /proof/campaign -e /proof/prove)

.PHONY: test lint docs evidence bench demo prove

test:
	@command -v $(GO) >/dev/null || { echo "make test needs Go 1.26: https://go.dev/doc/install"; exit 1; }
	$(GO) run ./internal/install
ifeq ($(RACE),)
	@echo "NOTE: there is no C compiler, so the tests run WITHOUT the race detector."
	@if [ "$$CI" = true ]; then echo "Under CI that is a failure: install gcc."; exit 1; fi
	$(GO) test -timeout 10m $(OTHERS)
	$(GO) test -timeout 10m $(CAMPAIGNS)
else
	CGO_ENABLED=1 $(GO) test -race -timeout 10m $(OTHERS)
	CGO_ENABLED=1 $(GO) test -race -timeout 10m $(CAMPAIGNS)
endif
	$(GO) test -timeout 10m $(PROOF)
	cd bench && $(GO) test -timeout 5m ./...

lint:
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	cd bench && $(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	cd bench && $(GO) mod tidy -diff
	$(GO) run ./queue/queuetest/conformance -check

docs:
	$(GO) run ./queue/queuetest/conformance

demo:
	$(GO) run ./cmd/twice demo

prove:
	$(GO) test -count=1 ./proof ./proof/broken ./proof/explore/... ./proof/history ./proof/monitor ./examples/orders/proved
	./proof/model/check.sh

evidence:
	./docs/evidence/record

bench:
	cd bench && $(GO) run .
