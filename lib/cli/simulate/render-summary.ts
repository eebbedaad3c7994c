import { styleText } from 'node:util';
import type { SimulationSummary } from '../../simulator/result.ts';
import type { CliContext } from '../context.ts';
import { podNames } from '../render/pod-names.ts';
import { andMore, indented, MAX_ROWS, printable } from '../render/render-lines.ts';
import { summaryRows } from './summary-rows.ts';
import { costTable, instanceTable, waitTable } from './summary-tables.ts';

const DEFAULT_COLUMNS = 120;
/** A rule is not longer. */
const MAX_RULE = 100;

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Renders the result of a simulation as text: the most important facts, then tables. */
export function renderSummary(
  summary: SimulationSummary,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const sections: readonly Section[] = [
    { title: 'Summary (simulated)', lines: labelled(summaryRows(summary), width) },
    { title: 'Nodes', lines: instanceTable(summary, width) },
    { title: 'Cost by NodePool', lines: costTable(summary, width) },
    { title: 'Pending to running', lines: waitTable(summary, width) },
    { title: 'Pending pods', lines: pending(summary, width) },
    { title: 'Notes', lines: summary.notes.flatMap((note) => indented(note, 2, width)) },
  ];
  const title = (text: string): string => (color ? styleText('bold', text, { validateStream: false }) : text);
  const text = sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title: name, lines }) => [title(name), ...lines.map(printable)].map((line) => `${line}\n`).join(''))
    .join('\n');
  return `\n${'─'.repeat(Math.min(width, MAX_RULE))}\n${text}`;
}

/** Facts with their names before them. */
function labelled(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  return rows.flatMap(([name, value]) => {
    const [first = '', ...more] = indented(value, nameWidth + 4, width);
    return [`  ${name.padEnd(nameWidth)}  ${first.trimStart()}`, ...more];
  });
}

/** As `kerf plan` shows unschedulable pods. */
function pending({ podsPendingByReason }: SimulationSummary, width: number): readonly string[] {
  const shown = podsPendingByReason.slice(0, MAX_ROWS);
  const hidden = podsPendingByReason.slice(MAX_ROWS).reduce((sum, { count }) => sum + count, 0);
  return [
    ...shown.flatMap(({ pods, reasons }) => [
      ...indented(podNames(pods), 2, width),
      ...reasons.flatMap((reason) => indented(reason, 6, width)),
    ]),
    ...andMore(hidden, 'pod'),
  ];
}
