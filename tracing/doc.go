// Package tracing makes spans of OpenTelemetry for jobs: one where they are sent, one for each attempt to process
// them, after the conventions for messaging. It uses the API of OpenTelemetry alone: the application installs an SDK,
// or nothing is recorded and the ids of a trace travel on as they are.
//
//	tr := tracing.New(tracing.Config{})
//	orders := api.New(tr.Engine(engine))
//	w := worker.New(engine, worker.Config{Wraps: []worker.Wrap{tr.Wrap}})
//
// What is sent carries its span's id in the header traceparent, through an outbox too. The span of an attempt is in the
// handler's context and links to it; what the handler sends is a part of the attempt's trace. By the conventions an
// attempt is a trace of its own, since it may come hours later, and again; Config.OneTrace makes request, jobs, attempts
// and follow-ups one trace.
package tracing
