module github.com/twicehq/twice

go 1.26.0

require (
	github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6 // indirect
	github.com/emersion/go-smtp v0.26.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
