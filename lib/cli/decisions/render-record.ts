import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import { formatDayTime, formatTime } from '../../apis/formats/time.ts';
import { describeAction, describeRecord, describeRefused } from '../../core/decisions/action-words.ts';
import { type DecisionRecord, type RecordedPrice, shortId } from '../../core/decisions/decision-record.ts';
import type { Chain } from '../../core/decisions/select-records.ts';
import { adviceFor } from '../../core/explain/reason-texts.ts';
import { gapPercent } from '../../core/model/decision.ts';
import type { CliContext } from '../context.ts';
import { formatUsdPerHour } from '../render/format-money.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { andMore, indented, MAX_ROWS, printable } from '../render/render-lines.ts';

const DEFAULT_COLUMNS = 120;

const COLUMNS: readonly CellColumn<DecisionRecord>[] = [
  { title: 'id', align: 'left', cell: shortId },
  // Without the year: records are kept for a month.
  { title: 'time (UTC)', align: 'left', cell: ({ atMs }) => formatDayTime(atMs) },
  { title: 'function', align: 'left', cell: ({ function: name }) => name },
  { title: 'woken by', align: 'left', cell: ({ wokenBy }) => wokenBy, spare: 1 },
  { title: '$/h after', align: 'right', cell: ({ price }) => price?.afterUsdPerHour.toFixed(4) ?? '', spare: 2 },
];

/** A line for each record: the table, and what was decided. A longer text continues below. */
export function recordLines(records: readonly DecisionRecord[], width: number): readonly string[] {
  const { titles, rows, note } = formatTableWithin(COLUMNS, records, Math.max(40, width - 40));
  const start = Math.max(titles.length, ...rows.map((row) => row.length)) + 2;
  return [
    `${titles.padEnd(start)}decided`,
    ...records.flatMap((record, at) => {
      const [first = '', ...more] = indented(describeRecord(record), start, width);
      return [`${(rows[at] ?? '').padEnd(start)}${first.trimStart()}`, ...more];
    }),
    ...(note.length === 0 ? [] : indented(note.join(' '), 0, width)),
  ].map(printable);
}

/** Renders one record with its chain. */
export function renderRecord(
  record: DecisionRecord,
  { before, after }: Chain,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const { id, actions, refusals, snapshot } = record;
  const head = color ? styleText('bold', printable(id), { validateStream: false }) : printable(id);
  const lines = [
    ...indented(headOf(record), 2, width),
    ...(record.price === undefined ? [] : indented(priceOf(record.price), 2, width)),
    ...(snapshot === undefined ? [] : indented(`Snapshot: ${snapshot}`, 2, width)),
    ...section(
      'Actions',
      actions.slice(0, MAX_ROWS).flatMap((action) => hanging(describeAction(action), width)),
    ),
    ...andMore(actions.length - MAX_ROWS, 'action'),
    ...section(
      'Refused for the first time',
      refusals.slice(0, MAX_ROWS).flatMap((one) => refusalLines(one, width)),
    ),
    ...andMore(refusals.length - MAX_ROWS, 'refusal'),
    ...chainLines('Before', before.slice(-MAX_ROWS), width),
    ...chainLines('After', after.slice(0, MAX_ROWS), width),
  ];
  return [head, ...lines.map(printable)].map((line) => `${line}\n`).join('');
}

function headOf({
  atMs,
  cluster,
  function: name,
  wokenBy,
  durationMs,
  decisions,
  shadow,
  version,
}: DecisionRecord): string {
  const mode = shadow === true ? ' in shadow' : '';
  const ids = decisions.length > 3 ? counted(decisions.length, 'decision') : decisions.join(', ');
  return `${formatTime(atMs)}: ${name} of cluster ${cluster}${mode}, woken by ${wokenBy}, in ${durationMs} ms (${ids}; Kerf ${version}).`;
}

function priceOf(price: RecordedPrice): string {
  const { beforeUsdPerHour, afterUsdPerHour } = price;
  return `Cost: ${formatUsdPerHour(beforeUsdPerHour)} before, ${formatUsdPerHour(afterUsdPerHour)} after${boundOf(price)}.`;
}

function boundOf({ newUsdPerHour: usdPerHour, lowerBoundUsdPerHour }: RecordedPrice): string {
  if (lowerBoundUsdPerHour === undefined) return '';
  const bound = formatUsdPerHour(lowerBoundUsdPerHour);
  if (usdPerHour === undefined) return `; no other new nodes cost less than ${bound}`;
  const gap = gapPercent({ usdPerHour, lowerBoundUsdPerHour }).toFixed(1);
  return `; the new nodes cost ${formatUsdPerHour(usdPerHour)}, ${gap} % above the lower bound ${bound}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function refusalLines(refusal: DecisionRecord['refusals'][number], width: number): readonly string[] {
  const { reason, message } = refusal;
  return [
    ...hanging(`${reason}: ${describeRefused(refusal)}`, width),
    ...indented(message, 6, width),
    ...indented(`→ ${adviceFor(reason)}`, 6, width),
  ];
}

function chainLines(title: string, records: readonly DecisionRecord[], width: number): readonly string[] {
  if (records.length === 0) return [];
  return section(
    title,
    recordLines(records, width - 2).map((line) => `  ${line}`),
  );
}

function hanging(text: string, width: number): readonly string[] {
  const [first = '', ...more] = indented(text, 4, width);
  return [`  ${first.trimStart()}`, ...more];
}
