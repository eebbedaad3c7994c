package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

var scheduleTexts = []string{
	"", " ", "*", "* * * *", "* * * * *", "* * * * * *", "? ? ? ? ?", " * * * * * ", "*\t*\n*\r* \v*", "*  *   * * *", "*\u00a0*\u00a0*\u00a0*\u00a0*",
	"*\u0085* * * *", "*\ufeff* * * *", "*\u3000* * * *", "*/15 * * * *", "5/15 * * * *", "?/15 * * * *", "0-30/7 * * * *", "59/1 * * * *", "60/5 * * * *",
	"*/1 * * * *", "*/01 * * * *", "*/+2 * * * *", "*/0 * * * *", "*/-1 * * * *", "*/ * * * *", "*/1/2 * * * *", "*/1.5 * * * *", "*/1e1 * * * *", "*/0x5 * * * *",
	"*/60 * * * *", "*/99999999999 * * * *", "*/9223372036854775807 * * * *", "*/9223372036854775808 * * * *", "*/2-3 * * * *", "/5 * * * *", "5/ * * * *",
	"1,2,30 * * * *", ",1,,2, * * * *", ", * * * *", "* , * * *", "* * , * *", "* * * , *", "* * * * ,", "0 0 , * 1", "0 0 1 * ,", "1,60 * * * *", "60 * * * *", "-1 * * * *", "- * * * *",
	"5- * * * *", "-5 * * * *", "5-1 * * * *", "5-5 * * * *", "1-2-3 * * * *", "*-5 * * * *", "*-foo-bar * * * *", "?-5/7 * * * *", "*5 * * * *", "5* * * * *", "** * * * *", "+5 * * * *", "05 * * * *",
	"000005 * * * *", "1_0 * * * *", "1e1 * * * *", "0x5 * * * *", "５ * * * *", "5.0 * * * *", "99999999999999999999 * * * *",
	"* 23 * * *", "* 24 * * *", "0 9-17 * * mon-fri", "0 9-17 * * MON-FRI", "0 9-17 * * Mon-5", "0 0 * * fri-mon", "0 0 * * sun-sat", "0 0 * * sat-sun", "0 0 * * 7", "0 0 * * 0-7", "0 0 * * 1-7", "0 0 * * 5-6", "0 0 * * 6-0",
	"0 0 * * monday", "0 0 * * mo", "0 0 * jan *", "0 0 * JAN-mar *", "0 0 * january *", "0 0 * 0 *", "0 0 * 13 *", "0 0 * 12 *", "0 0 0 * *", "0 0 32 * *", "0 0 31 * *", "0 0 1-31 * *", "0 0 1-32 * *",
	"jan * * * *", "* jan * * *", "* * jan * *", "* * * mon *", "* * * * jan", "* * * jan/2 *", "* * * * mon/2", "* * * * tue-sat/2", "0 0 L * *", "0 0 1W * *", "0 0 * * 1#2", "0 0 * * 5L", "H 0 * * *",
	"0 0 13 * 5", "0 0 13 * *", "0 0 * * 5", "0 0 13 * ?", "0 0 ? * 5", "0 0 */2 * 5", "0 0 */1 * 5", "0 0 13 * */2", "0 0 13 * */1", "0 0 13,* * 5", "0 0 *,13 * 5", "0 0 13 * 5,*", "0 0 1-31 * 5", "0 0 13 * 0-6", "0 0 13,*/2 * 5",
	"0 0 29 2 *", "0 12 29 2 *", "0 0 29 2 1", "0 0 29 2 */2", "0 0 29-31 2 *", "0 0 30 2 *", "0 0 31 2 *", "0 0 30 2 1", "0 0 31 4,6,9,11 *", "0 0 31 4,6,9,11 0", "59 23 31 12 *", "0 0 1 1 *", "0 0 31 1-3 *", "0 0 30-31 2-3 *",
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@Daily", "@DAILY", " @daily", "@daily ", "  @hourly  ", "@reboot", "@", "@foo", "@dailyx", "@daily x", "@daily * * * *", "@hourly @hourly", "@constructor",
	"@every 1h", "@every 90s", "@every 1ms", "@every 0", "@every -1h", "@every", "@every ", "@every x", "@every  1h", "@Every 1h", "@every 1h30m",
	"TZ=UTC * * * * *", "TZ=Europe/Paris 0 0 * * *", "CRON_TZ=Europe/Paris 0 0 * * *", "CRON_TZ=UTC @daily", "TZ=UTC", "TZ= * * * * *", "TZ=Nowhere/Land * * * * *", "tz=UTC * * * * *",
	"constructor", "__proto__", "constructor * * * *", "* * * constructor *", "* * * __proto__ *", "* * * * toString", "null", "0 0 * * * # every night", "0,30 8-18/2 1,15 1-6,12 *", "0 22 * * *", "0 0 1 */3 *", "15 3 * * 0,6",
	"*/5 0-3,22-23 * * *", "0 0 1 1 0", "0 0 31 12 6", "1 1 1 1 1", "59 23 28-31 * *", "30 4 1,15 * 5", "0 0 */31 * *", "0 0 */40 * *", "0 */23 * * *", "*/59 * * * *", "7/60 * * * *",
}

// The times from which the next firing of each schedule is computed. Before 2104 there are 8 years without a 29 February.
var instants = []time.Time{
	time.Date(2026, 1, 31, 8, 17, 59, 0, time.UTC),
	time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC),
	time.Date(2097, 3, 1, 0, 0, 0, 0, time.UTC),
}

func schedules(random *rand.Rand) map[string]any {
	texts := append([]string{}, scheduleTexts...)
	for len(texts) < 640 {
		texts = append(texts, anySchedule(random))
	}
	rows := []row{}
	for _, text := range unique(texts) {
		// The time zone that Karpenter adds to every schedule of a budget.
		schedule, err := cron.ParseStandard("TZ=UTC " + text)
		one := row{text}
		for _, instant := range instants {
			if err == nil {
				one = append(one, firing(schedule.Next(instant)))
			}
		}
		rows = append(rows, one)
	}
	after := []int64{}
	for _, instant := range instants {
		after = append(after, instant.Unix())
	}
	return map[string]any{"after": after, "schedules": rows}
}

// firing is null if there is none within the years that the library searches.
func firing(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Unix()
}

func anySchedule(random *rand.Rand) string {
	bounds := [][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	fields := []string{}
	for _, bound := range bounds {
		items := []string{}
		for range 1 + random.IntN(2)*random.IntN(3) {
			items = append(items, anyItem(random, bound[0], bound[1]))
		}
		fields = append(fields, strings.Join(items, ","))
	}
	return strings.Join(fields, " ")
}

func anyItem(random *rand.Rand, least, most int) string {
	value := func() int { return least + random.IntN(most-least+1) }
	switch random.IntN(8) {
	case 0, 1, 2:
		return pick(random, []string{"*", "*", "?"})
	case 3:
		return fmt.Sprintf("*/%d", 1+random.IntN(most))
	case 4:
		return fmt.Sprintf("%d/%d", value(), 1+random.IntN(most))
	case 5:
		from := value()
		return fmt.Sprintf("%d-%d", from, from+random.IntN(most-from+1))
	case 6:
		from := value()
		return fmt.Sprintf("%d-%d/%d", from, from+random.IntN(most-from+1), 1+random.IntN(5))
	default:
		// Sometimes a value after the end of the range.
		return fmt.Sprint(least + random.IntN(most-least+1+random.IntN(2)))
	}
}
