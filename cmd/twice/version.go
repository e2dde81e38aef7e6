package main

import (
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

func (versionCmd) Help() string {
	return `Use it when you report a problem, or to see whether two machines run the same program.

    twice version --json`
}

type versionView struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"` // the source had changes beyond the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (versionCmd) Run(s *session) error {
	v := versionView{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v.Version = info.Main.Version
		}
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				v.Revision = setting.Value
			case "vcs.modified":
				v.Modified = setting.Value == "true"
			}
		}
	}
	if s.json {
		return s.emit(v)
	}
	revision := ""
	if v.Revision != "" {
		revision = " " + clip(v.Revision, 13) + note(v.Modified, " with changes")
	}
	return s.say("twice %s%s, %s, %s", v.Version, revision, v.Go, v.Platform)
}
