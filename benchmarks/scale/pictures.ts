import { drawLines } from '../pictures/draw-lines.ts';
import { atShareMs, type Row } from './rows.ts';

type Run = Parameters<typeof atShareMs>[0];

/** What a function does, as a line of the pictures. */
const LINES = [
  { name: 'lifecycle, idle', of: 'lifecycle', what: 'idle, warm' },
  { name: 'disruption, idle, cold', of: 'disruption', what: 'idle, cold' },
  { name: 'provisioning, 500 pods', of: 'provisioning', what: 'pending pods' },
] as const;

/** The pictures of docs/pictures: the name of each file, and its SVG. */
export function picturesOf(rows: readonly Row[]): readonly (readonly [file: string, svg: string])[] {
  const lines = (value: (run: Run) => number): Parameters<typeof drawLines>[0]['lines'] =>
    LINES.map(({ name, of, what }) => ({
      name,
      points: rows.flatMap((row) =>
        row.function.name === of && row.what.includes(what) && row.invoked !== undefined
          ? [{ x: row.nodes, y: value({ memoryMib: row.function.memoryMib, invoked: row.invoked }) }]
          : [],
      ),
    }));
  const across = 'nodes with 10 pods each';
  return [
    [
      'scale-time.svg',
      drawLines({ title: 'Time of a run', unit: 's', across, lines: lines((run) => atShareMs(run) / 1_000) }),
    ],
    [
      'scale-memory.svg',
      drawLines({ title: 'Memory of a function', unit: 'MB', across, lines: lines(({ invoked }) => invoked.peakMb) }),
    ],
  ];
}
