package main

import (
	"math/rand/v2"
	"strconv"
	"time"
)

var durationTexts = []string{
	"", "0", "+0", "-0", "00", "0.0", "1", "-1", "5", ".", "+", "-", "s", ".s", "-.s", "+s", "1s", "+1s", "-1s", "--1s", "1.s", ".5s", "-.5s", "1.5h",
	"1..5h", "1.5.5h", "1h30m", "1h-30m", "1h 30m", " 1h", "1h ", "1 h", "30m1h", "1m1m", "5M", "5H", "5S", "5d", "5w", "5y", "1hr", "1min", "1sec",
	"Never", "never", "h1", "hm", "1hm", "1h1", "1ns", "1us", "1µs", "1μs", "1ms", "1m1ms", "1mss", "1m.5s", "1e3s", "1,5s", "1_000s", "0x1s", "１s",
	"0s", "0h0m0s", "720h", "720h0m0s", "0.1ns", "0.5ns", "1.9ns", "0.999999999s", "0.9999999999s", "0.0000000001s", "1.0000000001s", "0.3333333333333333333h",
	"0.123456789012345678901234567890s", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "-2562047h47m16.854775808s", "-2562047h47m16.854775809s",
	"2562048h", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "9223372036854775809ns", "-9223372036854775809ns",
	"9223372036854775.807us", "9223372036s854ms775us807ns", "9223372036s854ms775us808ns", "99999999999999999999s", "9999999999999999999ns",
	"0.9223372036854775807s", "0.9223372036854775808h", "0.99999999999999999999999h", "1.99999999999999999999h", "100000000000000000000000ns",
	"3000000h", "-3000000h", "1h1h1h", "1\n", "1s\n", "1h\u00a030m", "null", "true", "constructor", "__proto__", "1constructor", "1\u00b5", "µs", "-1.5h", "-5m",
	"1h+30m", "1h.5m", "1.h", ".h", "0.m", "00001h", "1.10s", "1.1m1.1s", "6m30s500ms", "16m40s", "8760h", "87600h", "876000h", "1.000000001s",
}

func durations(random *rand.Rand) map[string]any {
	texts := append([]string{}, durationTexts...)
	units := []string{"ns", "us", "µs", "ms", "s", "m", "h"}
	for len(texts) < 300 {
		text := pick(random, signs)
		for range 1 + random.IntN(3) {
			text += strconv.FormatInt(random.Int64N(1<<random.IntN(30)+1), 10)
			if random.IntN(3) == 0 {
				text += "." + strconv.FormatInt(random.Int64N(1<<random.IntN(60)+1), 10)
			}
			text += pick(random, units)
		}
		texts = append(texts, text)
	}
	for len(texts) < 420 {
		texts = append(texts, anyText(random, "0123456789.+-smhun", 6))
	}
	rows := []row{}
	for _, text := range unique(texts) {
		if duration, err := time.ParseDuration(text); err != nil {
			rows = append(rows, row{text})
		} else {
			rows = append(rows, row{text, decimal(duration.Nanoseconds())})
		}
	}
	return map[string]any{"durations": rows}
}
