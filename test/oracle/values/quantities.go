package main

import (
	"math/rand/v2"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

var (
	signs   = []string{"", "", "+", "-"}
	numbers = []string{
		"0", "00", "1", "01", "007", "9", "10", "100", "999", "1000", "1023", "1024", "1025", "1500", "123456789",
		"999999999999999", "999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808",
		"18446744073709551616", "123456789012345678901234567890", "0.5", ".5", "5.", "1.5", "1.25", "1.000", "1.500",
		"0.1", "0.001", "1.0001", "0.000000001", "0.0000000001", "1.0000000001", "3.141592653589793238462643383",
		"12345678901234.5", "", ".", "0.0", "00.10", "2", "3", "7", "8", "15.99",
	}
	suffixes = []string{
		"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
		"e0", "e1", "e3", "E3", "e+3", "E+6", "e-1", "e-3", "E-3", "e-9", "e-10", "e-20", "e18", "e19", "e40", "E05",
	}
	nonsense = []string{
		"", " ", "a", "1x", "1 Gi", " 1", "1 ", "1\n", "\t1", "1kk", "1GI", "1gi", "1K", "1ki", "1KI", "1mi", "1B", "1Gib", "1GiB",
		"--1", "++1", "+-1", "1-", "1+", "1e", "1e+", "1e-", "1E+", "1e1Gi", "1ee1", "1e1e1", "1e1.5", "1e 1", "0x10", "0b1", "0o7",
		"1,5", "1_000", "NaN", "nan", "Inf", "-Inf", "infinity", "1.2.3", "1..2", "..", "-.", "+.", "-", "+", "-+", "+Ki", "-m", "1mm",
		"1m1", "1Ki1", "1n5", "1k-3", "1k3", "1i", "i", "Kii", "1Eie3", "1Ee3", "1eE3", "1e3m", "1e-3Ki", "½", "１", "٣", "1µ", "1μ", "1²",
		"null", "true", "1/2", "10%", "1e4294967296", "1e4294967299", "1e-4294967299", "1e9223372036854775807",
		"1e9223372036854775808", "1e99999999999999999999", "1e-99999999999999999999", "1e400", "-1e400", "1e-400", "1e100000",
		"1.5e400", "9e-11", "123456789012345678901e50", ".e-20", "e-20", ".n", ".e-9", ".e-10", "+e-10", "0e-10", "0.e-20", "00e-20",
		".Ki", ".5Ki", "-.5Ki", "5.Ki", "0.0001Ki", "0.1Ki", "0.5Mi", "-0.1Ki", "7Ei", "7.9Ei", "8Ei", "-8Ei", "9Ei", "16Ei", "1000Ei",
		"8191Pi", "8192Pi", "9.3Ei", "1000E", "1000000E", "\u0000", "1\u0000", "1\u00a0", "__proto__", "constructor", "{}", "[1]", "'1'",
	}
)

func quantities(random *rand.Rand) map[string]any {
	texts := append([]string{}, nonsense...)
	for _, number := range numbers {
		for _, suffix := range suffixes {
			texts = append(texts, number+suffix)
		}
	}
	for len(texts) < 2_150 {
		texts = append(texts, pick(random, signs[2:])+pick(random, numbers)+pick(random, suffixes))
	}
	for len(texts) < 2_350 {
		texts = append(texts, anyText(random, "0123456789.eE+-numkKMGTPi", 7))
	}
	for len(texts) < 2_600 {
		texts = append(texts, amount(random))
	}
	rows := []row{}
	for _, text := range unique(texts) {
		if quantity, err := resource.ParseQuantity(text); err != nil {
			rows = append(rows, row{text})
		} else {
			value, milli := quantity.Value(), quantity.MilliValue()
			rows = append(rows, row{text, quantity.String(), decimal(value), decimal(milli)})
		}
	}
	return map[string]any{"quantities": rows, "pairs": quantityPairs(random)}
}

// quantityPairs has [a, b, a compared with b, a + b, a - b].
func quantityPairs(random *rand.Rand) []row {
	rows := []row{}
	for len(rows) < 800 {
		a, b := amount(random), amount(random)
		if random.IntN(4) == 0 {
			a, b = sameAmount(random)
		}
		rows = append(rows, row{
			a, b,
			compared(a, b),
			computed(a, b, (*resource.Quantity).Add),
			computed(a, b, (*resource.Quantity).Sub),
		})
	}
	return rows
}

func compared(a, b string) int {
	left, right := resource.MustParse(a), resource.MustParse(b)
	return left.Cmp(right)
}

func computed(a, b string, operation func(*resource.Quantity, resource.Quantity)) string {
	left, right := resource.MustParse(a), resource.MustParse(b)
	operation(&left, right)
	return left.String()
}

// amount is a random quantity that parses.
func amount(random *rand.Rand) string {
	for {
		text := pick(random, signs) + pick(random, numbers)
		if random.IntN(2) == 0 {
			text = pick(random, signs) + strconv.FormatInt(random.Int64N(1<<random.IntN(50)+1), 10)
		}
		if random.IntN(4) == 0 {
			text += "." + strconv.Itoa(random.IntN(10_000))
		}
		text += pick(random, suffixes)
		if _, err := resource.ParseQuantity(text); err == nil {
			return text
		}
	}
}

// sameAmount is one amount in two notations, which may differ slightly.
func sameAmount(random *rand.Rand) (string, string) {
	count := random.Int64N(5_000)
	steps := []struct {
		small, large string
		size         int64
	}{{"n", "u", 1000}, {"m", "", 1000}, {"", "k", 1000}, {"k", "M", 1000}, {"", "Ki", 1024}, {"Mi", "Gi", 1024}, {"Ti", "Pi", 1024}, {"e3", "M", 1000}}
	step := pick(random, steps)
	return decimal(count*step.size+random.Int64N(3)-1) + step.small, decimal(count) + step.large
}

func decimal(value int64) string {
	return strconv.FormatInt(value, 10)
}

func anyText(random *rand.Rand, letters string, most int) string {
	text := ""
	for range 1 + random.IntN(most) {
		text += string(letters[random.IntN(len(letters))])
	}
	return text
}

func unique(texts []string) []string {
	known := map[string]bool{}
	kept := []string{}
	for _, text := range texts {
		if !known[text] {
			known[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}
