import { styleText } from 'node:util';
import { counted, firstNames } from '../../apis/counted.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { Figures } from '../../simulator/summary/figures.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { wrapText } from '../render/wrap-text.ts';
import { type Description, describeEntry, describeFigures } from './describe-entry.ts';

/** The width of the output, and whether it has colour. */
type Terminal = Pick<CliContext, 'columns' | 'color'>;

/** Renders the timeline as lines. Equal entries of one second for one workload become one line with a count. */
export interface TimelineRenderer {
  title(input: SimulationInput): string;
  entry(entry: TimelineEntry): string;
  /** The entries that are still being counted. */
  flush(): string;
}

interface TimelineOptions {
  /** The longest time that an entry can have. */
  readonly durationMs: number;
  /** Whether a decision has only its first line. */
  readonly isBrief: boolean;
}

interface Held {
  readonly at: number;
  readonly description: Description;
  count: number;
}

const DEFAULT_COLUMNS = 120;

export function timelineRenderer(terminal: Terminal, { durationMs, isBrief }: TimelineOptions): TimelineRenderer {
  const held = new Map<string, Held>();
  const hours = Math.max(2, String(Math.floor(durationMs / HOUR_MS)).length);
  const format = (at: number, description: Description): string => formatLine(clock(at, hours), description, terminal);
  const flush = (): string => {
    const lines = merged([...held.values()]).map(({ at, description, count }) => {
      return format(at, { ...description, text: textOf(description, count) });
    });
    held.clear();
    return lines.join('');
  };
  const shown = (at: number, description: Description): string => {
    if (description.repeats === undefined && description.alike === undefined) return flush() + format(at, description);
    const key = description.alike?.what ?? JSON.stringify(description);
    const known = held.get(key);
    if (known === undefined) held.set(key, { at, description, count: 1 });
    else known.count += 1;
    return '';
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
    title: (input) => title(input, terminal),
    entry: (entry) =>
      described(entry)
        .map((description) => shown(entry.at, description))
        .join(''),
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
    return [{ at: first.at, description: { ...first.description, repeats }, count }];
  });
}

function title({ manifests, catalogue, seed }: SimulationInput, terminal: Terminal): string {
  const { nodePools, deployments, replicaSets, statefulSets, daemonSets, jobs, cronJobs, pods } = manifests;
  const counts = [
    [nodePools.length, 'NodePool'],
    [deployments.length, 'Deployment'],
    [replicaSets.length, 'ReplicaSet'],
    [statefulSets.length, 'StatefulSet'],
    [daemonSets.length, 'DaemonSet'],
    [jobs.length, 'Job'],
    [cronJobs.length, 'CronJob'],
    [pods.length, 'Pod'],
  ] as const;
  const what = counts.flatMap(([count, kind]) => (count === 0 ? [] : [counted(count, kind)])).join(', ');
  const source = `${catalogue.facts.length} instance types, prices of ${catalogue.asOf.slice(0, 10)}`;
  const text = `Simulated EKS cluster in ${catalogue.region}: ${what}. ${source}, seed ${seed}. It starts with 0 nodes.`;
  return `${paint(wrapText(text, terminal.columns ?? DEFAULT_COLUMNS).join('\n'), 'bold', terminal)}\n\n`;
}

/** `00:01:12  label        text`; long text is wrapped and indented. */
function formatLine(time: string, { label, text, style }: Description, terminal: Terminal): string {
  const head = `${time}  ${label.padEnd(11)} `;
  const room = Math.max(40, (terminal.columns ?? DEFAULT_COLUMNS) - head.length);
  const [first = '', ...more] = wrapText(text, room);
  const body = [first, ...more.map((part) => ' '.repeat(head.length) + part)].join('\n');
  return `${paint(time, 'quiet', terminal)}  ${paint(label.padEnd(11), style, terminal)} ${paint(body, style, terminal)}\n`;
}

/** `01:05:00`; with more digits for the hours of a long simulation. */
function clock(seconds: number, hourDigits: number): string {
  const whole = Math.floor(seconds);
  const [hours, ...rest] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  return [String(hours).padStart(hourDigits, '0'), ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}

const STYLES = { plain: 'reset', bold: 'bold', good: 'green', bad: 'red', quiet: 'gray' } as const;

function paint(text: string, style: Description['style'], { color }: Terminal): string {
  return color && style !== 'plain' ? styleText(STYLES[style], text, { validateStream: false }) : text;
}
