//go:build !race

package campaign_test

const slower = 1
