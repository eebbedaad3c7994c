import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { wrapText } from '../render/wrap-text.ts';
import type { Description } from './describe-entry.ts';
import { type TimelineLine, timelineLines } from './timeline-lines.ts';

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

const DEFAULT_COLUMNS = 120;

export function timelineRenderer(terminal: Terminal, { durationMs, isBrief }: TimelineOptions): TimelineRenderer {
  const lines = timelineLines({ isBrief });
  const hours = Math.max(2, String(Math.floor(durationMs / HOUR_MS)).length);
  const format = (all: readonly TimelineLine[]): string =>
    all.map((one) => formatLine(clock(one.at, hours), one, terminal)).join('');
  return {
    flush: () => format(lines.flush()),
    title: (input) =>
      `${paint(wrapText(simulationTitle(input), terminal.columns ?? DEFAULT_COLUMNS).join('\n'), 'bold', terminal)}\n\n`,
    entry: (entry) => format(lines.entry(entry)),
  };
}

/** `Simulated EKS cluster in us-east-1: 1 NodePool, 3 Deployments. …` */
export function simulationTitle({ manifests, catalogue, seed }: SimulationInput): string {
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
  return `Simulated EKS cluster in ${catalogue.region}: ${what}. ${source}, seed ${seed}. It starts with 0 nodes.`;
}

/** `00:01:12  label        text`; long text is wrapped and indented. */
function formatLine(time: string, { label, text, style }: TimelineLine, terminal: Terminal): string {
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
