import { parseDuration } from '../../apis/formats/duration.ts';
import { milliValue, parseQuantityNano, unitValue } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import type { Trace } from '../../apis/scenario/trace.ts';
import { suggest } from '../../core/suggest.ts';
import type { ManifestProblem } from '../explain/problem.ts';

/** *Shape:* the rows, or problems with their lines. */
export interface ReadTrace {
  readonly trace: Trace;
  readonly problems: readonly ManifestProblem[];
}

type Column = 'time' | 'count' | 'cpu' | 'memory' | 'lifetime';

const COLUMNS: readonly Column[] = ['time', 'count', 'cpu', 'memory', 'lifetime'];
const REQUIRED: readonly Column[] = ['time', 'cpu', 'memory', 'lifetime'];
/** Limits the output for a file that is invalid throughout. */
const MAX_PROBLEMS = 20;
/** A trace of more years, or lines of more pods, are mistakes. */
const MAX_MS = 10 * 365 * 24 * HOUR_MS;
const MAX_COUNT = 10_000;
/** Values repeat in traces. */
const MAX_REMEMBERED = 10_000;

/**
 * Reads a trace: CSV with a header. *Shape:* rows in the order of their times, rows of one time in the order of the file. *Cost:*
 * O(size of the text), O(n log n) if the rows are not in order.
 */
export function readTrace(file: string, text: string): ReadTrace {
  const problems: ManifestProblem[] = [];
  const lines = linesOf(text);
  const header = lines.next().value;
  const columns =
    header === undefined
      ? undefined
      : readHeader(header.text, (field, message, allowed) =>
          problems.push({ file, line: header.line, field, message, allowed }),
        );
  if (header === undefined)
    problems.push({
      file,
      line: 1,
      field: '',
      message: 'the file is empty',
      allowed: `a header: ${COLUMNS.join(',')}`,
    });
  const rows = growingRows();
  if (columns !== undefined && problems.length === 0) {
    const parsers = { ...PARSERS, time: remembered(PARSERS.time), lifetime: remembered(PARSERS.lifetime) };
    const parse = { ...parsers, cpu: remembered(PARSERS.cpu), memory: remembered(PARSERS.memory) };
    for (const { text: row, line } of lines) {
      readRow(row, { columns, parse, rows }, (field, message, allowed) =>
        problems.push({ file, line, field, message, allowed }),
      );
      if (problems.length >= MAX_PROBLEMS) break;
    }
  }
  if (problems.length === 0 && rows.length() === 0)
    problems.push({ file, line: 2, field: '', message: 'the file has no rows', allowed: 'a row for each arrival' });
  return { trace: { file, ...rows.sorted() }, problems };
}

type Complain = (field: string, message: string, allowed: string) => void;

interface Line {
  readonly text: string;
  readonly line: number;
}

/** The lines that are not empty. */
function* linesOf(text: string): Generator<Line, undefined> {
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; from < text.length; line += 1) {
    const end = text.indexOf('\n', from);
    const row = text.slice(from, end < 0 ? text.length : end).trim();
    if (row !== '') yield { text: row, line };
    if (end < 0) return;
    from = end + 1;
  }
}

function cellsOf(row: string): readonly string[] {
  return row.split(',').map((cell) => {
    const value = cell.trim();
    return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  });
}

/** *Shape:* the column of each cell of a row. */
function readHeader(header: string, complain: Complain): readonly Column[] {
  const names = cellsOf(header).map((name) => name.toLowerCase());
  const columns = names.flatMap((name, index) => {
    const column = COLUMNS.find((one) => one === name);
    if (column === undefined) {
      const meant = suggest(name, COLUMNS);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      complain('', `${quote(name)} is not a column of a trace${hint}`, `a header with ${COLUMNS.join(', ')}`);
    } else if (names.indexOf(name) < index) complain(column, 'is a column twice', 'each column once');
    return column ?? [];
  });
  for (const column of REQUIRED)
    if (!names.includes(column)) complain(column, 'is missing in the header', `a header with ${COLUMNS.join(', ')}`);
  return columns;
}

type Parse = (text: string) => number | undefined;

interface Reading {
  readonly columns: readonly Column[];
  readonly parse: Readonly<Record<Column, Parse>>;
  readonly rows: GrowingRows;
}

function readRow(row: string, { columns, parse, rows }: Reading, complain: Complain): void {
  const cells = cellsOf(row);
  if (cells.length !== columns.length)
    return complain('', `the line has ${cells.length} values`, `${columns.length}, one for each column of the header`);
  const values: Record<Column, number> = { time: 0, count: 1, cpu: 0, memory: 0, lifetime: 0 };
  let isWhole = true;
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    const value = parse[column](cell);
    if (value === undefined) {
      isWhole = false;
      complain(column, cell === '' ? 'has no value' : `${quote(cell)} is not allowed`, ALLOWED[column]);
    } else values[column] = value;
  }
  if (isWhole) rows.add(values);
}

const ALLOWED: Readonly<Record<Column, string>> = {
  time: 'seconds from the start of the simulation, or a duration such as 1h30m',
  count: `a whole number of pods from 0 to ${MAX_COUNT}`,
  cpu: 'a quantity of cores such as 500m or 2',
  memory: 'a quantity of bytes such as 512Mi or 2Gi',
  lifetime: 'seconds, or a duration such as 10m',
};

const PARSERS: Readonly<Record<Column, Parse>> = {
  time: timeOf,
  lifetime: timeOf,
  count(text) {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : undefined;
    return count !== undefined && count <= MAX_COUNT ? count : undefined;
  },
  cpu: (text) => (isAmount(text) ? milliValue(text) : undefined),
  memory: (text) => (isAmount(text) ? unitValue(text) : undefined),
};

function isAmount(text: string): boolean {
  const nano = parseQuantityNano(text);
  return nano !== undefined && nano >= 0n;
}

/** *Units:* ms. */
function timeOf(text: string): number | undefined {
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : parseDuration(text);
  return ms !== undefined && ms <= MAX_MS ? ms : undefined;
}

function remembered(parse: Parse): Parse {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text) ?? parse(text);
    if (found !== undefined && known.size < MAX_REMEMBERED) known.set(text, found);
    return found;
  };
}

interface GrowingRows {
  add(row: Readonly<Record<Column, number>>): void;
  length(): number;
  sorted(): Omit<Trace, 'file'>;
}

function growingRows(): GrowingRows {
  let columns = new Map(COLUMNS.map((name) => [name, new Float64Array(1_024)]));
  let length = 0;
  let isSorted = true;
  let latest = 0;
  const grow = (): void => {
    columns = new Map(
      [...columns].map(([name, values]) => {
        const larger = new Float64Array(values.length * 2);
        larger.set(values);
        return [name, larger];
      }),
    );
  };
  return {
    length: () => length,
    add(row) {
      if (length === columns.get('time')?.length) grow();
      for (const [name, values] of columns) values[length] = row[name];
      length += 1;
      if (row.time < latest) isSorted = false;
      latest = Math.max(latest, row.time);
    },
    sorted() {
      const time = columns.get('time') ?? new Float64Array();
      const order = Uint32Array.from({ length }, (_, index) => index);
      if (!isSorted) order.sort((a, b) => (time[a] ?? 0) - (time[b] ?? 0) || a - b);
      const inOrder = (name: Column): Float64Array => {
        const values = columns.get(name) ?? new Float64Array();
        return isSorted ? values.slice(0, length) : Float64Array.from(order, (index) => values[index] ?? 0);
      };
      return {
        length,
        timeMs: inOrder('time'),
        count: inOrder('count'),
        cpuMillicores: inOrder('cpu'),
        memoryBytes: inOrder('memory'),
        lifetimeMs: inOrder('lifetime'),
      };
    },
  };
}
