import { formatAge, formatClock, formatDollars, shareOf } from '../fleet/format.ts';
import type { LogLine } from '../fleet/frame.ts';
import type { FleetState } from '../fleet/history.ts';
import type { PoolBand } from '../fleet/layout.ts';
import { create, element } from './dom.ts';

/** More lines than these are not on the page. */
const MAX_LINES = 150;

let shownLines: readonly LogLine[] = [];

/** Shows the last lines until now, the newest first. Only what has changed is written. */
export function showLog(lines: readonly LogLine[], count: number, decisionsOnly: boolean): void {
  const list = element('log', HTMLOListElement);
  const wanted = lastLines(lines, count, decisionsOnly);
  const first = shownLines[0];
  const fresh = first === undefined ? -1 : wanted.indexOf(first);
  if (fresh === 0 && wanted.length === shownLines.length) return;
  if (fresh < 0) list.replaceChildren(...wanted.map(lineItem));
  else {
    list.prepend(...wanted.slice(0, fresh).map(lineItem));
    while (list.childElementCount > wanted.length) list.lastElementChild?.remove();
    for (const line of wanted.slice(list.childElementCount)) list.append(lineItem(line));
  }
  shownLines = wanted;
}

function lastLines(lines: readonly LogLine[], count: number, decisionsOnly: boolean): readonly LogLine[] {
  const found: LogLine[] = [];
  for (let at = count - 1; at >= 0 && found.length < MAX_LINES; at -= 1) {
    const line = lines[at];
    if (line !== undefined && (line.decision || !decisionsOnly)) found.push(line);
  }
  return found;
}

function lineItem({ at, label, text, style }: LogLine): HTMLLIElement {
  const item = create('li', '', style);
  const time = create('time', formatClock(at));
  item.append(time, create('b', label), create('span', text));
  return item;
}

export function showPending({ pending }: FleetState, at: number): void {
  const rows = pending.map(({ workload, count, since, reason }) => {
    const row = create('li', '');
    row.append(
      create('b', `${count} × ${workload}`),
      create('span', ` for ${formatAge(Math.max(0, at - since))}`, 'quiet'),
    );
    row.append(create('p', reason === '' ? 'waits for a node' : reason, reason === '' ? 'quiet' : 'bad'));
    return row;
  });
  element('pending', HTMLUListElement).replaceChildren(
    ...(rows.length > 0 ? rows : [create('li', 'No pod is pending.', 'quiet')]),
  );
}

export function showPools(bands: readonly PoolBand[]): void {
  const rows = bands.map(({ pool, nodes }) => {
    const sum = (of: 'cpu' | 'memory' | 'cpuRequested' | 'memoryRequested' | 'usdPerHour'): number =>
      nodes.reduce((total, node) => total + node[of], 0);
    const row = create('tr', '');
    row.append(
      create('td', pool === '' ? '(none)' : pool),
      create('td', String(nodes.length)),
      create('td', percent(shareOf(sum('cpuRequested'), sum('cpu')))),
      create('td', percent(shareOf(sum('memoryRequested'), sum('memory')))),
      create('td', formatDollars(sum('usdPerHour'))),
    );
    return row;
  });
  element('pools', HTMLTableSectionElement).replaceChildren(...rows);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
