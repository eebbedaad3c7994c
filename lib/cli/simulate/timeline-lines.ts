import { counted, firstNames } from '../../apis/counted.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Figures } from '../../simulator/summary/figures.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import { type Description, describeEntry, describeFigures } from './describe-entry.ts';
import { isShown } from './shown-entries.ts';

/** A line of the timeline. *Units:* seconds from the start. */
export interface TimelineLine extends Pick<Description, 'label' | 'text' | 'style'> {
  readonly at: number;
  /** Whether it is a decision, an event of the Scenario or a failure; not how something was carried out. */
  readonly decision: boolean;
}

/** The timeline as lines. Equal entries of one second for one workload become one line with a count. */
export interface TimelineLines {
  entry(entry: TimelineEntry): readonly TimelineLine[];
  /** The entries that are still being counted. */
  flush(): readonly TimelineLine[];
}

interface Held {
  readonly at: number;
  readonly decision: boolean;
  readonly description: Description;
  count: number;
}

/** `isBrief`: a decision has only its first line. */
export function timelineLines({ isBrief }: { readonly isBrief: boolean }): TimelineLines {
  const held = new Map<string, Held>();
  const flush = (): readonly TimelineLine[] => {
    const lines = merged([...held.values()]).map(({ at, decision, description, count }): TimelineLine => {
      const { label, style } = description;
      return { at, decision, label, style, text: textOf(description, count) };
    });
    held.clear();
    return lines;
  };
  const shown = (entry: TimelineEntry, description: Description, isFirst: boolean): readonly TimelineLine[] => {
    const { label, text, style } = description;
    const { at } = entry;
    const decision = isFirst && isShown(entry, 'decisions');
    if (description.repeats === undefined && description.alike === undefined)
      return [...flush(), { at, decision, label, text, style }];
    const key = description.alike?.what ?? JSON.stringify(description);
    const known = held.get(key);
    if (known === undefined) held.set(key, { at, decision, description, count: 1 });
    else known.count += 1;
    return [];
  };
  let figures: Figures | undefined;
  const described = (entry: TimelineEntry): readonly Description[] => {
    if (entry.kind !== 'figures') return describeEntry(entry).slice(0, isBrief ? 1 : 2);
    const before = figures;
    figures = entry;
    if (before !== undefined && isSame(before, entry)) return [];
    return [{ label: 'hour', text: describeFigures(entry, before), style: 'plain' }];
  };
  return {
    flush,
    entry: (entry) => described(entry).flatMap((description, place) => shown(entry, description, place === 0)),
  };
}

/** Whether nothing has changed but the time and the cost. */
function isSame(a: Figures, b: Figures): boolean {
  return (['nodesLaunched', 'nodesEnded', 'podsRunning', 'podsPending'] as const).every((name) => a[name] === b[name]);
}

function textOf({ text, repeats, alike }: Description, count: number): string {
  if (repeats !== undefined) return `${repeats.who}: ${counted(count, 'pod')} ${repeats.what}`;
  return alike === undefined || count === 1 ? text : `${count} ${alike.what}, for example ${alike.example}`;
}

/** More workloads than these become one line. */
const MAX_WORKLOADS = 3;

/** `Job default/a, Job default/b, Job default/c and 841 more`: the same event of many workloads becomes one line. */
function merged(all: readonly Held[]): readonly Held[] {
  const same = Map.groupBy(all, ({ description: { label, style, repeats } }) =>
    JSON.stringify([label, style, repeats?.what]),
  );
  return [...same.values()].flatMap((some) => {
    const [first] = some;
    if (first?.description.repeats === undefined || some.length <= MAX_WORKLOADS) return some;
    const names = some.map(({ description }) => description.repeats?.who ?? '').toSorted(compareText);
    const who = firstNames(names, MAX_WORKLOADS);
    const repeats = { ...first.description.repeats, who };
    const count = some.reduce((sum, one) => sum + one.count, 0);
    return [{ ...first, description: { ...first.description, repeats }, count }];
  });
}
