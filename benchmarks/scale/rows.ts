/** The results, and which of them miss their targets. */
import type { Invoked } from './invoke-function.ts';
import { cpuShareOf } from './limited-process.ts';
import type { DeployedFunction } from './measured-function.ts';

export interface Row {
  readonly nodes: number;
  readonly function: Pick<DeployedFunction, 'name' | 'memoryMib' | 'timeoutMs'>;
  readonly what: string;
  /** Absent if the process ended: `why`. */
  readonly invoked?: Invoked;
  readonly why?: string;
  readonly awsCalls: Readonly<Record<string, number>>;
  readonly apiRequests: Readonly<Record<string, number>>;
}

export function missed(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ nodes, function: { name, memoryMib, timeoutMs }, what, invoked, why }) => {
    const where = `${nodes} nodes, ${name}, ${what}`;
    if (invoked === undefined) return [`${where}: ${why}`];
    const { wallMs, peakMb, failed, error } = invoked;
    return [
      ...(peakMb > memoryMib ? [`${where}: ${peakMb.toFixed(0)} of ${memoryMib} MB`] : []),
      ...(wallMs > timeoutMs / 2 ? [`${where}: ${seconds(wallMs)} of ${seconds(timeoutMs / 2)} s`] : []),
      ...(failed > 0 || error !== undefined ? [`${where}: ${error ?? 'the message is delivered again'}`] : []),
    ];
  });
}

const WIDTHS = [6, 13, 26, 8, 8, 8, 8, 6, 6];
const HEAD = ['nodes', 'function', 'what', 'CPU s', 'at share', 'time s', 'MB', 'API', 'AWS'];

export function renderRows(rows: readonly Row[], withHead: boolean): string {
  const cells = rows.map(({ nodes, function: { name, memoryMib }, what, invoked, why, awsCalls, apiRequests }) => [
    String(nodes),
    name,
    what,
    ...(invoked === undefined
      ? ['', '', '', why ?? '']
      : [
          seconds(invoked.cpuMs),
          seconds(atShareMs({ memoryMib, invoked })),
          seconds(invoked.wallMs),
          invoked.peakMb.toFixed(0),
        ]),
    total(apiRequests),
    total(awsCalls),
  ]);
  return [...(withHead ? [HEAD] : []), ...cells]
    .map((row) =>
      row.map((cell, at) => (at < 3 ? cell.padEnd(WIDTHS[at] ?? 0) : cell.padStart(WIDTHS[at] ?? 0))).join(' '),
    )
    .join('\n');
}

/** The time that the CPU time takes at the share of a CPU of the function, in milliseconds. Other load of the machine changes it little. */
export function atShareMs({
  memoryMib,
  invoked,
}: Pick<DeployedFunction, 'memoryMib'> & { readonly invoked: Invoked }): number {
  return invoked.cpuMs / cpuShareOf(memoryMib);
}

function total(counts: Readonly<Record<string, number>>): string {
  return String(Object.values(counts).reduce((sum, count) => sum + count, 0));
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
