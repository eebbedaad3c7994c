import { counted } from '../../../apis/counted.ts';
import type { Pod } from '../../../apis/kubernetes.ts';
import { isDrainable, isReschedulable } from '../../../core/cluster/pods.ts';
import type { StateNode } from '../../../core/cluster/state-node.ts';
import type { Candidate } from '../../../core/disruption/candidates.ts';
import type { PlannedCommand } from '../../../core/disruption/play-out.ts';
import type { PlannedNodeClaim } from '../../../core/scheduling/schedule.ts';
import { formatSavings, formatUsdPerMonth } from '../../render/format-money.ts';
import { type CellColumn, formatTableWithin } from '../../render/format-table.ts';
import { andMore, indented, MAX_ROWS } from '../../render/render-lines.ts';
import { podSummary } from '../pod-groups.ts';
import { placeOf } from '../render-new-nodes.ts';
import { candidateOutput, savings } from './disruption-output.ts';

const MAX_WORKLOADS = 6;

/** A node that is removed or launched. */
interface Row {
  readonly node: string;
  readonly nodePool: string;
  readonly type: string;
  readonly capacityType: string;
  readonly place: string;
  readonly pods: number;
  readonly price: number;
}

const COLUMNS: readonly CellColumn<Row>[] = [
  { title: '  node', align: 'left', cell: ({ node }) => node },
  { title: 'NodePool', align: 'left', cell: ({ nodePool }) => nodePool, spare: 2 },
  { title: 'type', align: 'left', cell: ({ type }) => type },
  { title: 'capacity', align: 'left', cell: ({ capacityType }) => capacityType },
  { title: 'zone', align: 'left', cell: ({ place }) => place, spare: 5 },
  { title: 'pods', align: 'right', cell: ({ pods }) => String(pods), spare: 1 },
  { title: '$/h', align: 'right', cell: ({ price }) => price.toFixed(4) },
];

/** The node of the snapshot, with all of its pods. */
export type NodeNamed = (name: string) => StateNode | undefined;

/** Renders the commands in their order: the nodes that are removed (-) and launched (+), the savings, and the evictions. */
export function renderCommands(
  commands: readonly PlannedCommand[],
  nodeNamed: NodeNamed,
  width: number,
): readonly string[] {
  if (commands.length === 0) return [];
  const shown = commands.slice(0, MAX_ROWS);
  const parts = shown.map((command) => ({ command, ...rowsOf(command, nodeNamed) }));
  // One table for all commands, so that their columns are aligned.
  const {
    titles,
    rows: lines,
    note,
  } = formatTableWithin(
    COLUMNS,
    parts.flatMap(({ removed, launched }) => [...removed, ...launched]),
    width - INDENT,
  );
  let next = 0;
  const take = (count: number): readonly string[] => {
    const taken = lines.slice(next, next + count);
    next += count;
    return taken.map((line) => ' '.repeat(INDENT) + line);
  };
  return [
    '',
    'Commands',
    ' '.repeat(INDENT) + titles,
    ...parts.flatMap(({ command, removed, launched }, index) => [
      ...headOf(command, index, { nodeNamed, width }),
      ...take(removed.length),
      ...andMore(command.candidates.length - removed.length, 'removed node').map(deeper),
      ...take(launched.length),
      ...andMore(command.replacements.length - launched.length, 'new node').map(deeper),
    ]),
    ...andMore(commands.length - shown.length, 'command'),
    ...note.map((line) => `  ${line}`),
  ];
}

const INDENT = 5;

function deeper(line: string): string {
  return ' '.repeat(INDENT) + line;
}

/** `1. emptiness: delete 2 nodes, 0 evictions, saves $0.1920/h (about $140 a month)`. */
function headOf(
  command: PlannedCommand,
  index: number,
  { nodeNamed, width }: { readonly nodeNamed: NodeNamed; readonly width: number },
): readonly string[] {
  const { method, candidates, replacements, waitsFor } = command;
  const pods = evictionsOf([command], nodeNamed);
  const nodes = counted(candidates.length, 'node');
  const what = replacements.length === 0 ? `delete ${nodes}` : `replace ${nodes} by ${replacements.length}`;
  const head = `${method}: ${what}, ${counted(pods.length, 'eviction')}, ${describeSavings(savings([command]))}`;
  const [first = '', ...more] = indented(head, INDENT, width);
  return [
    `${`${index + 1}.`.padStart(INDENT - 1)} ${first.trimStart()}`,
    ...more,
    ...(pods.length === 0 ? [] : indented(`evicts ${podSummary(pods, MAX_WORKLOADS)}`, INDENT, width)),
    ...(waitsFor === undefined ? [] : indented(`waits: ${waitsFor.message}`, INDENT, width)),
  ];
}

/** `saves $0.1920/h (about $140 a month)`. */
function describeSavings(usdPerHour: number): string {
  const words = formatSavings(usdPerHour);
  return words === formatSavings(0) ? words : `${words} (${formatUsdPerMonth(Math.abs(usdPerHour))})`;
}

/** The pods that the commands evict and that need another node. */
export function evictionsOf(commands: readonly PlannedCommand[], nodeNamed: NodeNamed): readonly Pod[] {
  return commands.flatMap(({ candidates }) => candidates.flatMap((one) => evicted(one, nodeNamed)));
}

function evicted({ stateNode }: Candidate, nodeNamed: NodeNamed): readonly Pod[] {
  return evictedFrom(nodeNamed(stateNode.name) ?? stateNode);
}

/** The pods that are evicted from a removed node and that need another one. */
export function evictedFrom({ pods }: StateNode): readonly Pod[] {
  return pods.filter((pod) => isReschedulable(pod) && isDrainable(pod));
}

function rowsOf(
  { candidates, replacements }: PlannedCommand,
  nodeNamed: NodeNamed,
): { readonly removed: readonly Row[]; readonly launched: readonly Row[] } {
  return {
    removed: candidates.slice(0, MAX_ROWS).map((candidate) => {
      const { node, nodePool, instanceType, capacityType, zone, price } = candidateOutput(candidate);
      const pods = evicted(candidate, nodeNamed).length;
      return { node: `- ${node}`, nodePool, type: instanceType, capacityType, place: zone, pods, price };
    }),
    launched: replacements.slice(0, MAX_ROWS).map(launchedRow),
  };
}

function launchedRow(claim: PlannedNodeClaim): Row {
  const { type, offering } = claim.cheapest;
  return {
    node: '+ new node',
    nodePool: claim.template.nodePool.metadata.name,
    type: type.name,
    capacityType: offering.capacityType,
    place: placeOf(claim),
    pods: claim.pods.length,
    price: offering.priceUsdPerHour,
  };
}
