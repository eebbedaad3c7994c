import { formatDuration } from '../../apis/formats/duration.ts';
import type { SimulationResult } from '../../simulator/result.ts';
import type { CliContext } from '../context.ts';
import { indented } from '../render/render-lines.ts';

const MAX_PENDING = 20;

/** Renders the result of a simulation as text. */
export function renderSummary(result: SimulationResult, { columns }: Pick<CliContext, 'columns'>): string {
  const { pendingToRunningSeconds: waits, podsPending } = result;
  const width = columns ?? 120;
  const rows: readonly (readonly [string, string])[] = [
    [
      'simulated time',
      `${formatDuration(result.endedAt * 1_000)}, ${result.ended === 'settled' ? 'settled: only expiry remains' : 'the requested time'}`,
    ],
    ['nodes', `${result.nodesLaunched} launched, ${result.nodesAtEnd} at the end`],
    ['pods', `${result.podsRunning} running, ${podsPending.length} pending`],
    [
      'pending to running',
      waits.pods === 0
        ? 'no pod has started'
        : `median ${waits.median}s, 95 % within ${waits.p95}s, longest ${waits.max}s (${waits.pods} pods)`,
    ],
    ['cost', `$${result.totalCostUsd.toFixed(4)}`],
  ];
  const actions = Object.entries(result.actions).map(([name, count]) => [name, String(count)] as const);
  const pending = podsPending.slice(0, MAX_PENDING).map(({ pod, reason }) => `  ${pod}: ${reason}\n`);
  const more = podsPending.length > MAX_PENDING ? `  and ${podsPending.length - MAX_PENDING} more\n` : '';
  const still = podsPending.length === 0 ? '' : `\nPending pods\n${pending.join('')}${more}`;
  const notes =
    result.notes.length === 0
      ? ''
      : `\nNotes\n${result.notes.flatMap((note) => indented(note, 2, width)).join('\n')}\n`;
  return `\n${'─'.repeat(Math.min(width, 100))}\nSummary (simulated)\n${table(rows)}\nActions\n${table(actions)}${still}${notes}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('');
}
