import { compareText } from '../../lib/core/compare-text.ts';
export interface LaunchCost {
  readonly cpuMs: number;
  readonly ownWallMs: number;
  readonly wallMs: number;
  /** The calls of both functions, from the first to the last, which is `EC2 CreateFleet`. */
  readonly calls: readonly string[];
}

/** The target for Kerf's own time in one launch. */
const TARGET_MS = 300;

/** The cost of a launch as text: the median and the maximum of the runs, and the calls of the last run by API. */
export function renderLaunch(costs: readonly LaunchCost[]): string {
  const last = costs.at(-1);
  if (last === undefined) throw new RangeError('no launch was measured');
  const line = (name: string, of: (cost: LaunchCost) => number): string => {
    const sorted = costs.map(of).toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return `${name.padEnd(56)}${median.toFixed(0).padStart(8)}${(sorted.at(-1) ?? 0).toFixed(0).padStart(8)}`;
  };
  const counts = Map.groupBy(last.calls.toSorted(), (api) => api);
  const services = Map.groupBy(last.calls, (api) => api.split(' ')[0] ?? '');
  const aws = last.calls.filter((api) => !api.startsWith('Kubernetes '));
  return [
    `One pending pod to CreateFleet issued, warm, ${costs.length} runs`,
    `${'ms'.padEnd(56)}${'median'.padStart(8)}${'worst'.padStart(8)}`,
    line(`own time: CPU (target ${TARGET_MS})`, ({ cpuMs }) => cpuMs),
    line('own time: wall less waiting for replies', ({ ownWallMs }) => ownWallMs),
    line('wall, with the emulators’ replies', ({ wallMs }) => wallMs),
    '',
    `Calls of both functions for one launch: ${aws.length} of AWS, ${last.calls.length - aws.length} of Kubernetes`,
    ...[...services]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([service, calls]) => `  ${service.padEnd(54)}${String(calls.length).padStart(8)}`),
    '',
    ...[...counts].map(([api, calls]) => `  ${api.padEnd(54)}${String(calls.length).padStart(8)}`),
  ].join('\n');
}
