import { formatTime } from '../../apis/formats/time.ts';
import { escaped } from '../../core/widgets/markup.ts';
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

/** The report as one page without script, light or dark as the reader has it. */
export function shadowHtml(report: ShadowReport, cluster: string): string {
  const { title, period } = headingOf(report, cluster);
  const { launches, decisions, same } = report;
  const { different, forPods } = launchKinds(launches);
  const figures = [...figuresOf(report), ...launchFigures(launches)];
  const body =
    report.hours.length === 0
      ? [`<p>${noHours()}</p>`]
      : [
          `<ul>${figures.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`,
          '<h2>Cost, USD an hour</h2>',
          chartOf(report),
          '<h2>By day</h2>',
          tableOf(SHADOW_TITLES.days, report.days.map(dayCells)),
        ];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title><style>${STYLES}</style></head><body><main><h1>${escaped(title)}</h1>`,
    `<p>${period}</p>`,
    ...body,
    `<h2>Launches that differ: ${different.length} of ${forPods}</h2>`,
    rowsOf(SHADOW_TITLES.launches, shownRows(different.map(launchCells))),
    `<h2>Removed and replaced nodes that differ: ${decisions.length} of ${decisions.length + same}</h2>`,
    rowsOf(SHADOW_TITLES.decisions, shownRows(decisions.map(decisionCells))),
    '</main></body></html>\n',
  ].join('\n');
}

function rowsOf(titles: readonly string[], { rows, left }: Shown<readonly string[]>): string {
  if (rows.length === 0) return '<p>None.</p>';
  return `${tableOf(titles, rows)}${left > 0 ? `<p>${left} more: --output json has all.</p>` : ''}`;
}

const STYLES = [
  ':root{color-scheme:light dark;--text:#16191f;--muted:#545b64;--line:#d5dbdb;--back:#fff;--other:#94540a;--kerf:#0b7a70}',
  '@media (prefers-color-scheme:dark){:root{--text:#e9ebed;--muted:#a7b0bd;--line:#414d5c;--back:#161d26;--other:#e3a651;--kerf:#35c4b4}}',
  'body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}',
  'main{max-width:1100px;margin:0 auto;padding:24px}',
  'h1{font-size:24px}h2{font-size:18px;margin-top:28px}',
  'table{border-collapse:collapse;width:100%;font-size:13px}',
  'th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:4px 10px 4px 0}',
  'th{color:var(--muted)}.scroll{overflow-x:auto}',
  'svg text{fill:var(--muted);font-size:12px}svg .axis{stroke:var(--line)}',
  'svg polyline{fill:none;stroke-width:2}svg .other{stroke:var(--other)}svg .kerf{stroke:var(--kerf)}',
  'svg .other-name{fill:var(--other)}svg .kerf-name{fill:var(--kerf)}',
].join('');

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th scope="col">${escaped(title)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(titles.slice(0, 2).join(', '))}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** *Units:* pixels. */
const CHART = { width: 1_000, height: 220, left: 60, right: 120, top: 12, bottom: 26 } as const;

function chartOf({ hours }: ShadowReport): string {
  const { width, height, left, right, top, bottom } = CHART;
  const [first, last] = [hours[0]?.atMs ?? 0, hours.at(-1)?.atMs ?? 0];
  const highest = Math.max(...hours.map(({ usdPerHour, planned }) => Math.max(usdPerHour, planned.usdPerHour)), 0.0001);
  const x = (atMs: number): number => left + ((atMs - first) / Math.max(1, last - first)) * (width - left - right);
  const y = (usd: number): number => top + (1 - usd / highest) * (height - top - bottom);
  const points = (of: (hour: ShadowReport['hours'][number]) => number): string =>
    hours.map((hour) => `${x(hour.atMs).toFixed(1)},${y(of(hour)).toFixed(1)}`).join(' ');
  const end = hours.at(-1);
  const names = [
    { name: 'other autoscaler', of: 'other', usd: end?.usdPerHour ?? 0 },
    { name: 'Kerf', of: 'kerf', usd: end?.planned.usdPerHour ?? 0 },
  ];
  // Two names at one place would cover each other.
  const apart = Math.abs(y(names[0]?.usd ?? 0) - y(names[1]?.usd ?? 0)) < 14 ? 8 : 0;
  return [
    `<svg role="img" aria-label="Cost by hour: the other autoscaler and Kerf" viewBox="0 0 ${width} ${height}" width="100%">`,
    `<line class="axis" x1="${left}" y1="${y(0)}" x2="${width - right}" y2="${y(0)}"/>`,
    `<line class="axis" x1="${left}" y1="${y(highest)}" x2="${width - right}" y2="${y(highest)}"/>`,
    `<text x="${left - 6}" y="${y(0) + 4}" text-anchor="end">$0</text>`,
    `<text x="${left - 6}" y="${y(highest) + 4}" text-anchor="end">$${highest.toFixed(highest < 10 ? 2 : 0)}</text>`,
    `<text x="${left}" y="${height - 6}">${formatTime(first).slice(0, 16)}</text>`,
    `<text x="${width - right}" y="${height - 6}" text-anchor="end">${formatTime(last).slice(0, 16)}</text>`,
    `<polyline class="other" points="${points(({ usdPerHour }) => usdPerHour)}"/>`,
    `<polyline class="kerf" points="${points(({ planned }) => planned.usdPerHour)}"/>`,
    ...names.map(
      ({ name, of, usd }, at) =>
        `<text class="${of}-name" x="${width - right + 6}" y="${(y(usd) + 4 + (at === 0 ? -apart : apart)).toFixed(1)}">${name}</text>`,
    ),
    '</svg>',
  ].join('');
}
