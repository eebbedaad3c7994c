/** Corrections for common mistakes in durations. */
import { parseDuration } from '../../apis/formats/duration.ts';

const SECONDS: readonly (readonly [unit: RegExp, seconds: number])[] = [
  [/^(?:ms|milli(?:second)?s?)$/, 0.001],
  [/^s(?:ec(?:ond)?s?)?$/, 1],
  [/^m(?:in(?:ute)?s?)?$/, 60],
  [/^h(?:(?:ou)?rs?)?$/, 3_600],
  [/^d(?:ays?)?$/, 86_400],
  [/^w(?:eeks?)?$/, 604_800],
  [/^y(?:ears?)?$/, 31_536_000],
];

const NEVER = /^(?:never|none|off|false|disabled|inf|infinity|forever)$/i;

/**
 * Returns what to write for `5min`, `1d`, `1.5h`, `-5m` or `30`: the duration in whole hours, minutes and seconds, rounded
 * up, followed by `words`, which describes what the field accepts. For a duration that is too long, it returns the longest one. Seconds are left out where `words` excludes them. For
 * any other text the result is `words` alone.
 */
export function durationAllowed(text: string, words: string): string {
  const written = text.trim().toLowerCase().replace(/^[+-]/, '');
  const smallest = words.startsWith('hours and minutes') ? 60 : 1;
  if (NEVER.test(written)) return words.endsWith('or Never') ? `Never: ${words}` : withoutNever(words, smallest);
  if (/^\d{1,9}$/.test(written)) {
    const [least = '', ...more] = (smallest === 60 ? ['m', 'h'] : ['s', 'm', 'h']).map((unit) => `${written}${unit}`);
    return `${least} (or ${more.join(' or ')}): ${words}`;
  }
  const amounts = amountsIn(written);
  if (amounts === undefined) return words;
  const meant = inWholeUnits(amounts, smallest);
  return `${parseDuration(meant) === undefined ? LONGEST : meant}: ${words}`;
}

/** Durations are counted in nanoseconds with 63 bits. */
const LONGEST = 'at most 2562047h';

/** Only budgets are limited to hours and minutes. A budget without a schedule is always in force. */
function withoutNever(words: string, smallest: number): string {
  return smallest === 60
    ? `${words}; a budget without schedule and duration is always in force`
    : `nothing (remove the field) for no limit, or ${words}`;
}

interface Amount {
  readonly count: number;
  readonly seconds: number;
}

/** The amounts in the text, or undefined where it contains anything else. */
function amountsIn(text: string): readonly Amount[] | undefined {
  if (text.length > 40 || !/^(?:\d+(?:\.\d+)? ?[a-z]+[, ]*)+$/.test(text)) return undefined;
  const amounts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)].map(([, count = '', unit = '']) => ({
    count: Number(count),
    seconds: SECONDS.find(([name]) => name.test(unit))?.[1] ?? Number.NaN,
  }));
  return amounts.some(({ seconds }) => Number.isNaN(seconds)) ? undefined : amounts;
}

/** A single amount such as 90m keeps its unit. Several amounts become hours, minutes and seconds. */
function inWholeUnits(amounts: readonly Amount[], smallest: number): string {
  const total = amounts.reduce((sum, { count, seconds }) => sum + count * seconds, 0);
  const whole = Math.ceil(Math.round(total * 1_000) / 1_000 / smallest) * smallest;
  const [only] = amounts.length === 1 ? amounts : [];
  if (only?.seconds === 60 && Number.isInteger(only.count)) return `${only.count}m`;
  if (only?.seconds === 1 && smallest === 1 && Number.isInteger(only.count)) return `${only.count}s`;
  const parts = [
    [Math.floor(whole / 3_600), 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join('');
  return text === '' ? (smallest === 60 ? '0m' : '0s') : text;
}
