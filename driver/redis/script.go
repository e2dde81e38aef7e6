package redis

import (
	"context"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// script is one transition of a queue: what all share, and its own.
type script struct {
	name, text, sha string
	relief          *script // the same for a server that is out of memory; nil: then it is refused
}

//go:embed script/queue.lua
var shared string

// transition makes the script of a queue.
func transition(name, own string) *script { return transitionOf(name, assemble(own)) }

func transitionOf(name, text string) *script {
	sum := sha1.Sum([]byte(text)) // how the server names scripts
	return &script{name: name, text: text, sha: hex.EncodeToString(sum[:])}
}

// relieving makes the script of a queue that must go on where memory has run out: work is claimed, kept and ended so
// that room comes about. The server refuses no script that has written something, so that one begins with a write
// that changes nothing.
func relieving(name, own string) *script {
	s := transition(name, own)
	s.relief = transitionOf(name, "redis.call('PERSIST', KEYS[1])\n"+s.text)
	return s
}

var (
	//go:embed script/lane.lua
	laneText string
	//go:embed script/enqueue.lua
	enqueueText string
	//go:embed script/claim.lua
	claimText string
	//go:embed script/peek.lua
	peekText string
	//go:embed script/extend.lua
	extendText string
	//go:embed script/settlement.lua
	settlementText string
	//go:embed script/settle.lua
	settleText string
	//go:embed script/commit.lua
	commitText string
	//go:embed script/operate.lua
	operateText string
	//go:embed script/prune.lua
	pruneText string
	//go:embed script/touch.lua
	touchText string
	//go:embed script/mark.lua
	markText string
	//go:embed script/pause.lua
	pauseText string
	//go:embed script/schedule.lua
	scheduleText string
	//go:embed script/depth.lua
	depthText string
	//go:embed script/forward.lua
	forwardText string
	//go:embed script/heal.lua
	healText string
	//go:embed script/count.lua
	countText string
	//go:embed script/renew.lua
	renewText string

	laneScript     = transition("lane", laneText)
	enqueueScript  = transition("enqueue", enqueueText)
	claimScript    = relieving("claim", claimText)
	peekScript     = relieving("peek", peekText)
	extendScript   = relieving("extend", extendText)
	settleScript   = relieving("settle", settlementText+"\n"+settleText)
	operateScript  = transition("operate", operateText)
	pruneScript    = transition("prune", pruneText)
	touchScript    = transition("touch", touchText)
	markScript     = transition("mark", markText)
	pauseScript    = transition("pause", pauseText)
	scheduleScript = transition("schedule", scheduleText)
	depthScript    = transition("depth", depthText)
	healScript     = transition("heal", healText)
	countScript    = transition("count", countText)
	forwardScript  = transition("forward", forwardText)
	renewScript    = transition("renew", renewText)
)

// call is a script with its arguments.
type call struct {
	script *script
	keys   []string
	args   []string
}

func (e *Engine) command(c call) rueidis.Completed {
	return e.client.B().Evalsha().Sha1(c.script.sha).Numkeys(int64(len(c.keys))).Key(c.keys...).Arg(c.args...).Build()
}

func (e *Engine) whole(c call) rueidis.Completed {
	return e.client.B().Eval().Script(c.script.text).Numkeys(int64(len(c.keys))).Key(c.keys...).Arg(c.args...).Build()
}

// send carries out scripts in one round trip, for each node one.
func (e *Engine) send(ctx context.Context, form func(call) rueidis.Completed, calls []call) []rueidis.RedisResult {
	if e.cfg.MinReplicas > 0 {
		return e.sendHeld(ctx, form, calls)
	}
	commands := make([]rueidis.Completed, len(calls))
	for i, c := range calls {
		commands[i] = form(c)
	}
	return e.client.DoMulti(ctx, commands...)
}

// run is send for servers as they are. One that does not know a script yet is given it whole; one that is not ready is
// asked again for a while.
func (e *Engine) run(ctx context.Context, calls ...call) []rueidis.RedisResult {
	results := e.send(ctx, e.command, calls)
	for patience := time.Now().Add(notReadyFor); ; {
		var again []int
		var repeat []call
		unready := false
		for i, r := range results {
			c := calls[i]
			switch refusal := refusalOf(r.Error()); {
			case refusal == "NOSCRIPT":
			case refusal == "OOM" && c.script.relief != nil:
				c.script = c.script.relief
			case notReady[refusal]:
				unready = true
			default:
				continue
			}
			again, repeat = append(again, i), append(repeat, c)
		}
		if len(again) == 0 || time.Now().After(patience) {
			return partly(results)
		}
		if unready {
			select {
			case <-ctx.Done():
				return partly(results)
			case <-time.After(20 * time.Millisecond):
			}
		}
		for n, r := range e.send(ctx, e.whole, repeat) {
			results[again[n]] = r
		}
	}
}

// partly sees to it that nobody is told that nothing was changed where a part was carried out.
func partly(results []rueidis.RedisResult) []rueidis.RedisResult {
	if !slices.ContainsFunc(results, func(r rueidis.RedisResult) bool { return ignoreNil(r.Error()) == nil }) {
		return results
	}
	for i, r := range results {
		if err := ignoreNil(r.Error()); err != nil {
			results[i] = rueidis.NewErrorResult(inPart(err))
		}
	}
	return results
}

// notReady are refusals of a server that will serve soon, and has changed nothing.
var notReady = map[string]bool{"LOADING": true, "TRYAGAIN": true, "CLUSTERDOWN": true, "MASTERDOWN": true, "BUSY": true}

const notReadyFor = 3 * time.Second

// refusalOf gives the first word of a server's error; empty where it is none.
func refusalOf(err error) string {
	var refused *rueidis.RedisError
	if err == nil || !errors.As(err, &refused) {
		return ""
	}
	text := refused.Error()
	for i := range len(text) {
		if text[i] == ' ' {
			return text[:i]
		}
	}
	return text
}

func digits[N int | int64 | uint16](n N) string { return strconv.FormatInt(int64(n), 10) }

func flag(is bool) string {
	if is {
		return "1"
	}
	return "0"
}
