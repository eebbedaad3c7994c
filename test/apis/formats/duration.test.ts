import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration, parseNillableDuration } from '../../../lib/apis/formats/duration.ts';

describe('durations (A0.3)', () => {
  test.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['720h', 2_592_000_000],
    ['1h30m', 5_400_000],
    ['1h1m1s', 3_661_000],
    ['0s', 0],
    ['500ms', 500],
    ['1m500ms', 60_500],
    ['1.5h', 5_400_000],
    ['0', 0],
    ['-0s', 0],
    ['.5s', 500],
    ['1us', 0.001],
    ['1\u00b5s', 0.001],
    ['1ns', 0.000_001],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', '-5m', '5 m', '5d', '1h 30m', 'm', 'Never', 'never', 'h1', '5M', '1..5h'])(
    '"%s" is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test('long text is rejected quickly', () => {
    expect(parseDuration('1'.repeat(1_000_000))).toBeUndefined();
    expect(parseDuration(`${'1'.repeat(1_000_000)}h`)).toBeUndefined();
    expect(parseDuration(`0.${'9'.repeat(1_000_000)}s`)).toBe(1_000);
  });

  test('Never is neither a duration nor an error', () => {
    expect(parseNillableDuration('Never')).toBeUndefined();
    expect(parseNillableDuration('1m')).toBe(60_000);
  });

  test.each(['soon', '', '-5m', '9999999h'])('"%s" counts as Never where a field allows it', (text) => {
    expect(parseNillableDuration(text)).toBeUndefined();
  });

  test.each([
    [0, '0s'],
    [400, '0.4s'],
    [30_000, '30s'],
    [60_000, '1m'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [3_601_000, '1h1s'],
    [2_592_000_000, '720h'],
  ])('%i ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

test('Go reads the same durations, to the nanosecond (test/oracle/values)', () => {
  const fixture: { readonly durations: readonly (readonly [string, string?])[] } = JSON.parse(
    readFileSync('test/fixtures/values/durations.json', 'utf8'),
  );
  const different = fixture.durations.filter(([text, ns]) => {
    const ours = parseDuration(text);
    return ns === undefined || ours === undefined
      ? ns !== undefined || ours !== undefined
      : ours !== Number(BigInt(ns) / 1_000_000n) + Number(BigInt(ns) % 1_000_000n) / 1_000_000;
  });
  expect(fixture.durations.length).toBeGreaterThan(400);
  // Deliberate: negative durations are rejected, because no field allows them.
  expect(different.filter(([, ns]) => ns === undefined || BigInt(ns) >= 0n)).toEqual([]);
  expect(different.filter(([text]) => parseDuration(text) !== undefined)).toEqual([]);
});
