import { formatDayTime } from '../../apis/formats/time.ts';
import { describeAction, describeRecord, describeRefused } from '../decisions/action-words.ts';
import { type DecisionRecord, shortId } from '../decisions/decision-record.ts';
import { escaped, notice, PALETTES, type Theme, widget } from './markup.ts';

/** The number of rows. */
const MAX_ROWS = 100;
/** The number of lines in one row. */
const MAX_LINES = 30;

/** The latest decisions, newest first, each with its actions and reasons in a part that opens. @param records oldest first */
export function decisionLogWidget(records: readonly DecisionRecord[], theme: Theme): string {
  if (records.length === 0) return notice(theme, 'No decision is recorded in this time.');
  const shown = records.slice(-MAX_ROWS).toReversed();
  const left = records.length - shown.length;
  const titles = ['time (UTC)', 'function', 'decided, with the reasons', '$/h after'];
  const { link } = PALETTES[theme];
  return widget(
    theme,
    [
      '<table><thead><tr>',
      ...titles.map((title, at) => `<th scope="col"${at === 3 ? ' class="number"' : ''}>${title}</th>`),
      '</tr></thead><tbody>',
      ...shown.map(rowOf),
      '</tbody></table>',
      ...(left > 0 ? [`<p class="muted">${left} earlier decisions: kerf decisions lists them.</p>`] : []),
    ],
    [`.kerf summary{cursor:pointer;color:${link}}`, '.kerf ul{margin:4px 0 2px;padding-left:18px}'],
  );
}

function rowOf(record: DecisionRecord): string {
  const { atMs, function: name, shadow, wokenBy, price } = record;
  const by = `${name}${shadow === true ? ' (shadow)' : ''}`;
  const lines = linesOf(record);
  const items = lines.slice(0, MAX_LINES).map((line) => `<li>${escaped(line)}</li>`);
  const more = lines.length > MAX_LINES ? [`<li>and ${lines.length - MAX_LINES} more: kerf show</li>`] : [];
  const foot = `<li class="muted">kerf show ${escaped(shortId(record))}; woken by ${escaped(wokenBy)}</li>`;
  return [
    `<tr><td class="nowrap">${formatDayTime(atMs)}</td><td>${escaped(by)}</td>`,
    `<td><details><summary>${escaped(describeRecord(record))}</summary>`,
    `<ul>${[...items, ...more, foot].join('')}</ul></details></td>`,
    `<td class="number">${price === undefined ? '' : price.afterUsdPerHour.toFixed(4)}</td></tr>`,
  ].join('');
}

function linesOf({ actions, refusals }: DecisionRecord): readonly string[] {
  return [
    ...actions.map(describeAction),
    ...refusals.map((one) => `${one.reason}: ${describeRefused(one)}: ${one.message}`),
  ];
}
