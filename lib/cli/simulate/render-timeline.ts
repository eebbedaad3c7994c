import { styleText } from 'node:util';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { formatUsdPerHour } from '../format-money.ts';

/** Where output goes to: how wide, and whether in colour. */
type Terminal = Pick<CliContext, 'columns' | 'color'>;

/** Turns the timeline into lines. Pods of one workload that do the same at one instant are one line. */
export interface TimelineRenderer {
  title(input: SimulationInput): string;
  entry(entry: TimelineEntry): string;
  /** What was held back to be counted together. */
  flush(): string;
}

interface Line {
  readonly at: number;
  readonly label: string;
  readonly text: string;
  readonly style: 'plain' | 'bold' | 'good' | 'bad' | 'quiet';
}

interface Held {
  readonly at: number;
  readonly label: string;
  readonly workload: string;
  readonly rest: string;
  count: number;
}

const DEFAULT_COLUMNS = 120;

export function timelineRenderer(terminal: Terminal): TimelineRenderer {
  const held = new Map<string, Held>();
  const flush = (): string => {
    const lines = [...held.values()].map(({ at, label, workload, rest, count }) =>
      format(
        {
          at,
          label,
          text: `${workload}: ${count} ${count === 1 ? 'pod' : 'pods'} ${rest}`,
          style: label === 'running' ? 'good' : 'plain',
        },
        terminal,
      ),
    );
    held.clear();
    return lines.join('');
  };
  return {
    flush,
    title: ({ manifests, catalogue, seed }) => title({ manifests, catalogue, seed }, terminal),
    entry(entry) {
      const pods = podLine(entry);
      if (pods !== undefined) {
        const key = `${pods.label}/${pods.workload}/${pods.rest}`;
        const known = held.get(key);
        if (known === undefined) held.set(key, pods);
        else known.count += 1;
        return '';
      }
      const line = lineOf(entry);
      return line === undefined ? '' : flush() + format(line, terminal);
    },
  };
}

function title(
  { manifests, catalogue, seed }: Pick<SimulationInput, 'manifests' | 'catalogue' | 'seed'>,
  terminal: Terminal,
): string {
  const { nodePools, deployments, daemonSets, pods } = manifests;
  const counts = [
    [nodePools.length, 'NodePool'],
    [deployments.length, 'Deployment'],
    [daemonSets.length, 'DaemonSet'],
    [pods.length, 'Pod'],
  ] as const;
  const what = counts
    .flatMap(([count, kind]) => (count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`]))
    .join(', ');
  const source = `${catalogue.facts.length} instance types, prices of ${catalogue.asOf.slice(0, 10)}`;
  return `${paint(`Simulated EKS cluster in ${catalogue.region}`, 'bold', terminal)}: ${what}. ${source}, seed ${seed}. It starts at zero nodes.\n\n`;
}

function podLine(entry: TimelineEntry): Held | undefined {
  switch (entry.kind) {
    case 'pod-pending':
      return { at: entry.at, label: 'pending', workload: entry.workload, rest: 'pending', count: 1 };
    case 'pod-running':
      return {
        at: entry.at,
        label: 'running',
        workload: entry.workload,
        rest: `running on ${short(entry.node)}`,
        count: 1,
      };
    case 'pod-ended':
      return {
        at: entry.at,
        label: 'ended',
        workload: entry.workload,
        rest: `ended on ${short(entry.node)}`,
        count: 1,
      };
    case 'evict-pod': {
      const how = entry.force === undefined ? 'asked to leave' : 'forced out';
      return { at: entry.at, label: 'evict', workload: `NodeClaim ${entry.nodeClaim}`, rest: how, count: 1 };
    }
    default:
      return undefined;
  }
}

function lineOf(entry: TimelineEntry): Line | undefined {
  const line = (label: string, text: string, style: Line['style'] = 'plain'): Line => ({
    at: entry.at,
    label,
    text,
    style,
  });
  switch (entry.kind) {
    case 'scenario':
      return line('scenario', entry.message, 'bold');
    case 'create-node-claim': {
      const { nodeClaim, nodePool, pods, requests, instanceTypes, offerings, cheapest } = entry;
      const best =
        cheapest === null
          ? 'nothing to be had'
          : `${cheapest.instanceType} ${cheapest.capacityType} in ${cheapest.zone} at ${formatUsdPerHour(cheapest.priceUsdPerHour)}`;
      const needs = ['cpu', 'memory']
        .flatMap((name) => (requests[name] === undefined ? [] : [`${requests[name]} ${name}`]))
        .join(', ');
      return line(
        'decide',
        `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'} (${needs}) → NodePool ${nodePool}, NodeClaim ${nodeClaim} recorded: cheapest is ${best}, of ${offerings} offerings of ${instanceTypes} types that fit`,
        'bold',
      );
    }
    case 'launch-instance':
      return line(
        'launch',
        `CreateFleet for ${entry.nodeClaim}, attempt ${entry.attempt}: ${entry.capacityType}, ${entry.instanceTypes} types × ${entry.zones.join(', ')}`,
      );
    case 'instance-launched':
      return line(
        'instance',
        `${entry.instanceId} ${entry.instanceType} ${entry.capacityType} in ${entry.zone} at ${formatUsdPerHour(entry.priceUsdPerHour)} for ${entry.nodeClaim}`,
      );
    case 'launch-refused':
      return line('refused', `${entry.nodeClaim}: ${entry.message}`, 'bad');
    case 'instance-terminated':
      return line(
        'gone',
        `instance ${entry.instanceId} of ${entry.nodeClaim} is terminated; it cost $${entry.costUsd.toFixed(4)}`,
      );
    case 'node-joined':
      return line('joined', `node ${short(entry.node)} of ${entry.nodeClaim}`);
    case 'node-ready':
      return line('ready', `node ${short(entry.node)}`);
    case 'register-node':
      return line('register', `node ${short(entry.node.name)}: labels, taints and finalizer of ${entry.nodeClaim}`);
    case 'initialize-node':
      return line('initialize', `node ${short(entry.node.name)}: pods may count on it`, 'good');
    case 'start-disruption':
      return line(
        'decide',
        `${entry.command.reason}: ${nodes(entry.command.candidates)}; looked at again in 15s`,
        'bold',
      );
    case 'end-disruption':
      return entry.outcome === 'rejected' ? line('rejected', `disruption ${entry.command}: ${entry.why}`) : undefined;
    case 'delete-node-claim':
      return line('delete', `NodeClaim ${entry.nodeClaim}: ${entry.message}`, 'bold');
    case 'cordon-node':
      return line('cordon', `node ${short(entry.node.name)} takes no more pods`);
    case 'terminate-instance':
      return line('terminate', `instance ${entry.instanceId} of ${entry.nodeClaim}`);
    case 'release-node-claim':
      return line('released', `NodeClaim ${entry.nodeClaim}: nothing of it is left`);
    case 'mark-unavailable':
      return line(
        'unavailable',
        `${entry.offering.instanceType} ${entry.offering.capacityType} in ${entry.offering.zone}: ${entry.offering.reason}`,
        'quiet',
      );
    case 'blocked':
      return line(
        'blocked',
        `${entry.subject}${entry.nodePool === undefined ? '' : ` in NodePool ${entry.nodePool}`}: ${entry.message}`,
        entry.controller === 'provisioning' ? 'bad' : 'quiet',
      );
    case 'function-failed':
      return line('failed', `${entry.function}: ${entry.message}`, 'bad');
    case 'nominate-node':
    case 'node-gone':
    case 'pod-pending':
    case 'pod-running':
    case 'pod-ended':
    case 'evict-pod':
      return undefined;
  }
}

function nodes(
  candidates: readonly { readonly node: string; readonly instanceType: string; readonly priceUsdPerHour: number }[],
): string {
  const saved = candidates.reduce((sum, one) => sum + one.priceUsdPerHour, 0);
  const names = candidates.map((one) => `${short(one.node)} (${one.instanceType})`).join(', ');
  return `${candidates.length === 1 ? 'node' : 'nodes'} ${names}, ${formatUsdPerHour(saved)} saved`;
}

/** A node's name without its domain. */
function short(node: string): string {
  return node.split('.')[0] ?? node;
}

/** `00:01:12  label        text`, long text wrapped under itself. */
function format({ at, label, text, style }: Line, terminal: Terminal): string {
  const head = `${clock(at)}  ${label.padEnd(11)} `;
  const room = Math.max(40, (terminal.columns ?? DEFAULT_COLUMNS) - head.length);
  const [first = '', ...more] = wrap(text, room);
  const body = [first, ...more.map((part) => ' '.repeat(head.length) + part)].join('\n');
  return `${paint(clock(at), 'quiet', terminal)}  ${paint(label.padEnd(11), style, terminal)} ${paint(body, style, terminal)}\n`;
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const STYLES = { plain: 'reset', bold: 'bold', good: 'green', bad: 'red', quiet: 'gray' } as const;

function paint(text: string, style: Line['style'], { color }: Terminal): string {
  return color && style !== 'plain' ? styleText(STYLES[style], text, { validateStream: false }) : text;
}
