/** Checks that the reads found everything and met their targets. */
import type { Found, Look } from './look.ts';

/** The size that the targets apply to. */
export const FULL_SIZE = { pods: 20_000, nodes: 1_000, unbound: 200, changes: 1_000 };

export interface Taken {
  readonly name: string;
  readonly look: Look;
  readonly expected: Found;
  /** The targets for the function's CPU time and memory, at full size. */
  readonly targetCpuMs?: number;
  readonly targetPeakMb?: number;
  /** The targets at any size. */
  readonly mostRequests: number;
}

/** *Shape:* one line for each missed target; times and memory are checked only at full size. */
export function misses(taken: readonly Taken[], isFullSize: boolean): readonly string[] {
  return taken.flatMap(({ name, look, expected, mostRequests, targetCpuMs, targetPeakMb }) => [
    ...incomplete(look.found, expected).map((what) => `${name}: ${what}`),
    ...over(`${name}: requests`, look.requests, mostRequests),
    ...(isFullSize ? over(`${name}: ms of CPU`, look.cpuMs, targetCpuMs) : []),
    ...(isFullSize ? over(`${name}: MB at its peak`, look.peakMb, targetPeakMb) : []),
  ]);
}

function incomplete(found: Found, expected: Found): readonly string[] {
  const kinds = ['pods', 'unbound', 'nodes', 'changed'] as const;
  return kinds
    .filter((kind) => found[kind] !== expected[kind])
    .map((kind) => `${kind}: ${found[kind]} were found, and ${expected[kind]} are there`);
}

function over(what: string, value: number, most: number | undefined): readonly string[] {
  return most === undefined || value <= most ? [] : [`${what}: ${Math.round(value)}, at most ${most} are allowed`];
}

const HEAD = ['read', 'CPU s', 'target', 'peak MB', 'target', 'wall s', 'requests', 'MB'];

export function renderLooks(taken: readonly Taken[]): string {
  const rows = taken.map(({ name, look, targetCpuMs, targetPeakMb }) => [
    name,
    seconds(look.cpuMs),
    targetCpuMs === undefined ? '' : seconds(targetCpuMs),
    look.peakMb.toFixed(0),
    targetPeakMb === undefined ? '' : String(targetPeakMb),
    seconds(look.wallMs),
    String(look.requests),
    look.receivedMb.toFixed(1),
  ]);
  const lines = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}
