import fc from 'fast-check';
import { TomlDate } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { isTomlTable, readToml, type TomlTable, type TomlValue, writeToml } from '../../../lib/apis/formats/toml.ts';

function tableOf(text: string): TomlTable {
  const read = readToml(text);
  if (read.kind === 'unreadable') throw new Error(`${read.line}:${read.column} ${read.message}\n${text}`);
  return read.table;
}

describe('reading', () => {
  test('integers of any size stay integers, and floats stay floats', () => {
    const table = tableOf('a = 9223372036854775807\nb = -9007199254740993\nc = 1.0\nd = 0xff\ne = 1e300\nf = -inf\n');
    expect(table).toEqual({
      a: 9_223_372_036_854_775_807n,
      b: -9_007_199_254_740_993n,
      c: 1,
      d: 255n,
      e: 1e300,
      f: Number.NEGATIVE_INFINITY,
    });
    expect(writeToml(table)).toBe(
      'a = 9223372036854775807\nb = -9007199254740993\nc = 1.0\nd = 255\ne = 1e+300\nf = -inf\n',
    );
  });

  test('dates and times are kept', () => {
    const text = 'a = 1979-05-27T07:32:00.123-07:00\nb = 1979-05-27\nc = 07:32:00.999\nd = 1979-05-27T07:32:00.000\n';
    expect(writeToml(tableOf(text))).toBe(text);
  });

  test('names with a meaning in JavaScript are ordinary names', () => {
    const text = '__proto__ = 1\nconstructor = 2\n\n[toString]\n__proto__ = "x"\n';
    expect(writeToml(tableOf(text))).toBe(text);
  });

  test.each([
    ['a = [', 1, 5],
    ['a = 1\nb = \n', 2, 5],
    ['a = 1\r\na = 2\r\n', 2, 1],
    ['plain words', 1, 7],
    ['a = "\\ud800"', 1, 6],
    ['\0', 1, 1],
  ])('invalid TOML is unreadable, with the position of the error: %j', (text, line, column) => {
    expect(readToml(text)).toMatchObject({ kind: 'unreadable', line, column });
  });

  test('a message is one short line', () => {
    const read = readToml(`a = ${'x'.repeat(10_000)}`);
    expect(read.kind === 'unreadable' && read.message).toMatch(/^[^\n]{5,100}$/);
  });

  test('half of a surrogate pair is replaced, because TOML cannot represent it', () => {
    expect(tableOf('a = "\ud800"\n"\udfff" = 1')).toEqual({ a: '\ufffd', '\ufffd': 1n });
  });

  test.each([
    ['tables', `[${'a.'.repeat(70)}a]`],
    ['a great many tables', `[${'a.'.repeat(50_000)}a]`],
    ['lists', `a = ${'['.repeat(70)}${']'.repeat(70)}`],
    ['a great many lists', `a = ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ])('%s inside each other without end are unreadable', (_, text) => {
    expect(readToml(text).kind).toBe('unreadable');
  });
});

/** Without prototypes, of which a table may or may not have one, and dates as text. */
function plain(value: TomlValue): unknown {
  if (value instanceof TomlDate) return `date ${value.toISOString()}`;
  if (Array.isArray(value)) return value.map(plain);
  if (!isTomlTable(value)) return value;
  return new Map(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

describe('round trips', () => {
  const leaf: fc.Arbitrary<TomlValue> = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    // Minus nought is nought.
    fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value)),
    fc.boolean(),
    fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => TomlDate.wrapAsOffsetDateTime(date)),
  );
  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a-b', 'a.b', '', '"', '日本'));
  const { table } = fc.letrec<{ table: TomlTable; value: TomlValue }>((tie) => ({
    table: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('table')),
  }));

  test('what is written reads as the same table', () => {
    fc.assert(
      fc.property(table, (written) => {
        expect(plain(tableOf(writeToml(written)))).toEqual(plain(written));
      }),
      { seed: 71, numRuns: 1_000 },
    );
  });
});
