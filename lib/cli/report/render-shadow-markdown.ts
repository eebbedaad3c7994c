import { printable } from '../render/render-lines.ts';
import {
  dayCells,
  decisionCells,
  figuresOf,
  headingOf,
  noHours,
  SHADOW_TITLES,
  shownDecisions,
} from './shadow-figures.ts';
import type { ShadowReport } from './shadow-report.ts';

/** The report as Markdown. */
export function shadowMarkdown(report: ShadowReport, cluster: string): string {
  const { title, period } = headingOf(report, cell(cluster));
  const { shown, left } = shownDecisions(report);
  const lines = [
    `# ${title}`,
    '',
    period,
    '',
    ...(report.hours.length === 0
      ? [noHours()]
      : [
          ...figuresOf(report).map((line) => `- ${line}`),
          '',
          '## By day',
          '',
          row(SHADOW_TITLES.days),
          row(SHADOW_TITLES.days.map(() => '---')),
          ...report.days.map((one) => row(dayCells(one))),
        ]),
    '',
    `## Where they differ: ${report.decisions.length} of ${report.decisions.length + report.same} decisions`,
    '',
    row(SHADOW_TITLES.decisions),
    row(SHADOW_TITLES.decisions.map(() => '---')),
    ...shown.map((one) => row(decisionCells(one).map(cell))),
    ...(left > 0 ? ['', `${left} more: --output json has all.`] : []),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Names come from the cluster and could otherwise be read as Markdown. */
function cell(text: string): string {
  return text.replaceAll(/[\\|`*_<>[\]#]/g, String.raw`\$&`);
}
