import { printable } from '../render/render-lines.ts';
import { launchCells, launchFigures, launchKinds } from './launch-figures.ts';
import {
  dayCells,
  decisionCells,
  figuresOf,
  headingOf,
  noHours,
  SHADOW_TITLES,
  type Shown,
  shownRows,
} from './shadow-figures.ts';
import type { ShadowReport } from './shadow-report.ts';

/** The report as Markdown. */
export function shadowMarkdown(report: ShadowReport, cluster: string): string {
  const { title, period } = headingOf(report, cell(cluster));
  const { launches, decisions, same } = report;
  const { different, forPods } = launchKinds(launches);
  const lines = [
    `# ${title}`,
    '',
    period,
    '',
    ...(report.hours.length === 0
      ? [noHours()]
      : [
          ...[...figuresOf(report), ...launchFigures(launches)].map((line) => `- ${line}`),
          '',
          '## By day',
          '',
          ...tableOf(SHADOW_TITLES.days, report.days.map(dayCells)),
        ]),
    '',
    `## Launches that differ: ${different.length} of ${forPods}`,
    '',
    ...rowsOf(SHADOW_TITLES.launches, shownRows(different.map(launchCells))),
    '',
    `## Removed and replaced nodes that differ: ${decisions.length} of ${decisions.length + same}`,
    '',
    ...rowsOf(SHADOW_TITLES.decisions, shownRows(decisions.map(decisionCells))),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function rowsOf(titles: readonly string[], { rows, left }: Shown<readonly string[]>): readonly string[] {
  if (rows.length === 0) return ['None.'];
  return [...tableOf(titles, rows), ...(left > 0 ? ['', `${left} more: --output json has all.`] : [])];
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [row(titles), row(titles.map(() => '---')), ...rows.map((cells) => row(cells.map(cell)))];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Names come from the cluster and could otherwise be read as Markdown. */
function cell(text: string): string {
  return text.replaceAll(/[\\|`*_<>[\]#]/g, String.raw`\$&`);
}
