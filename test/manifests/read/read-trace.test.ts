import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { readTrace } from '../../../lib/manifests/read/read-trace.ts';

/** The rows as arrays: time and lifetime in ms, count, millicores and bytes. */
function rowsOf(text: string): readonly (readonly (number | undefined)[])[] {
  const { trace, problems } = readTrace('a.csv', text);
  expect(problems.map(formatProblem)).toEqual([]);
  const columns = [trace.timeMs, trace.count, trace.cpuMillicores, trace.memoryBytes, trace.lifetimeMs];
  return Array.from({ length: trace.length }, (_, row) => columns.map((values) => values[row]));
}

function problemsOf(text: string): readonly string[] {
  return readTrace('a.csv', text).problems.map(formatProblem);
}

describe('a trace', () => {
  test('has its columns in the order of its header, with units', () => {
    const text = 'lifetime,time,cpu,memory,count\n10m,0,500m,2Gi,3\n90,1h30m,2,1000000,1\n0.5,61.25,0.25,1Mi,0\n';
    expect(rowsOf(text)).toEqual([
      [0, 3, 500, 2_147_483_648, 600_000],
      [61_250, 0, 250, 1_048_576, 500],
      [5_400_000, 1, 2_000, 1_000_000, 90_000],
    ]);
  });

  test('needs no count, and may have quotes, spaces, empty lines, Windows line ends and no line end at its end', () => {
    expect(rowsOf('\uFEFFTime, CPU, Memory, Lifetime\r\n\r\n"1", "2" ,3Gi,4\r\n\r\n2,1,1Gi,60s')).toEqual([
      [1_000, 1, 2_000, 3_221_225_472, 4_000],
      [2_000, 1, 1_000, 1_073_741_824, 60_000],
    ]);
  });

  test('is sorted by time; rows of one time keep their order', () => {
    const text = 'time,count,cpu,memory,lifetime\n5,1,1,1,1\n2,2,1,1,1\n5,3,1,1,1\n2,4,1,1,1\n';
    expect(rowsOf(text).map(([time, count]) => [time, count])).toEqual([
      [2_000, 2],
      [2_000, 4],
      [5_000, 1],
      [5_000, 3],
    ]);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ['an empty file', '', ['a.csv:1  the file is empty; write a header: time,count,cpu,memory,lifetime']],
    ['no rows', 'time,cpu,memory,lifetime\n', ['a.csv:2  the file has no rows; write a row for each arrival']],
    [
      'a misspelt column',
      'time,cpu,memroy,lifetime\n1,1,1,1\n',
      [
        'a.csv:1  "memroy" is not a column of a trace; did you mean memory?; write a header with time, count, cpu, memory, lifetime',
        'a.csv:1  memory: is missing in the header; write a header with time, count, cpu, memory, lifetime',
      ],
    ],
    [
      'a column twice',
      'time,cpu,memory,lifetime,cpu\n1,1,1,1,1\n',
      ['a.csv:1  cpu: is a column twice; write each column once'],
    ],
    [
      'wrong values',
      'time,count,cpu,memory,lifetime\n1,1,1,1,1\n-1,1.5,two,,soon\n2,1,1\n',
      [
        'a.csv:3  time: "-1" is not allowed; write seconds from the start of the simulation, or a duration such as 1h30m',
        'a.csv:3  count: "1.5" is not allowed; write a whole number of pods from 0 to 10000',
        'a.csv:3  cpu: "two" is not allowed; write a quantity of cores such as 500m or 2',
        'a.csv:3  memory: has no value; write a quantity of bytes such as 512Mi or 2Gi',
        'a.csv:3  lifetime: "soon" is not allowed; write seconds, or a duration such as 10m',
        'a.csv:4  the line has 3 values; write 5, one for each column of the header',
      ],
    ],
    [
      'a negative quantity',
      'time,cpu,memory,lifetime\n1,-1,1,1\n',
      ['a.csv:2  cpu: "-1" is not allowed; write a quantity of cores such as 500m or 2'],
    ],
  ])('with %s has problems with their lines', (_, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test('that is wrong throughout has 20 problems at most', () => {
    expect(problemsOf(`time,cpu,memory,lifetime\n${'x,1,1,1\n'.repeat(1_000)}`)).toHaveLength(20);
  });

  test('of 200,000 rows is read as numbers', () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => `${row},1,${row % 7}00m,512Mi,${60 + (row % 100)}`);
    const { trace, problems } = readTrace('a.csv', `time,count,cpu,memory,lifetime\n${rows.join('\n')}`);
    expect({ problems, length: trace.length }).toEqual({ problems: [], length: 200_000 });
    expect(trace.timeMs.byteLength).toBe(1_600_000);
    expect(trace.timeMs.at(-1)).toBe(199_999_000);
  });
});
