import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { wrapText } from '../render/wrap-text.ts';
import { type Description, describeEntry } from './describe-entry.ts';

/** The width of the output, and whether it has colour. */
type Terminal = Pick<CliContext, 'columns' | 'color'>;

/** Renders the timeline as lines. Equal entries of one second for one workload become one line with a count. */
export interface TimelineRenderer {
  title(input: SimulationInput): string;
  entry(entry: TimelineEntry): string;
  /** The entries that are still being counted. */
  flush(): string;
}

interface Held {
  readonly at: number;
  readonly description: Description;
  count: number;
}

const DEFAULT_COLUMNS = 120;

export function timelineRenderer(terminal: Terminal): TimelineRenderer {
  const held = new Map<string, Held>();
  const flush = (): string => {
    const lines = [...held.values()].map(({ at, description, count }) => {
      const { who = '', what = '' } = description.repeats ?? {};
      return format(at, { ...description, text: `${who}: ${counted(count, 'pod')} ${what}` }, terminal);
    });
    held.clear();
    return lines.join('');
  };
  const shown = (at: number, description: Description): string => {
    if (description.repeats === undefined) return flush() + format(at, description, terminal);
    const key = JSON.stringify(description);
    const known = held.get(key);
    if (known === undefined) held.set(key, { at, description, count: 1 });
    else known.count += 1;
    return '';
  };
  return {
    flush,
    title: (input) => title(input, terminal),
    entry: (entry) =>
      describeEntry(entry)
        .map((description) => shown(entry.at, description))
        .join(''),
  };
}

function title({ manifests, catalogue, seed }: SimulationInput, terminal: Terminal): string {
  const { nodePools, deployments, daemonSets, pods } = manifests;
  const counts = [
    [nodePools.length, 'NodePool'],
    [deployments.length, 'Deployment'],
    [daemonSets.length, 'DaemonSet'],
    [pods.length, 'Pod'],
  ] as const;
  const what = counts.flatMap(([count, kind]) => (count === 0 ? [] : [counted(count, kind)])).join(', ');
  const source = `${catalogue.facts.length} instance types, prices of ${catalogue.asOf.slice(0, 10)}`;
  const text = `Simulated EKS cluster in ${catalogue.region}: ${what}. ${source}, seed ${seed}. It starts with 0 nodes.`;
  return `${paint(wrapText(text, terminal.columns ?? DEFAULT_COLUMNS).join('\n'), 'bold', terminal)}\n\n`;
}

/** `00:01:12  label        text`; long text is wrapped and indented. */
function format(at: number, { label, text, style }: Description, terminal: Terminal): string {
  const head = `${clock(at)}  ${label.padEnd(11)} `;
  const room = Math.max(40, (terminal.columns ?? DEFAULT_COLUMNS) - head.length);
  const [first = '', ...more] = wrapText(text, room);
  const body = [first, ...more.map((part) => ' '.repeat(head.length) + part)].join('\n');
  return `${paint(clock(at), 'quiet', terminal)}  ${paint(label.padEnd(11), style, terminal)} ${paint(body, style, terminal)}\n`;
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const STYLES = { plain: 'reset', bold: 'bold', good: 'green', bad: 'red', quiet: 'gray' } as const;

function paint(text: string, style: Description['style'], { color }: Terminal): string {
  return color && style !== 'plain' ? styleText(STYLES[style], text, { validateStream: false }) : text;
}
