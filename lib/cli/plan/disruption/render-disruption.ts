import { styleText } from 'node:util';
import { counted } from '../../../apis/counted.ts';
import type { DisruptionPlan } from '../../../core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../core/model/cluster-snapshot.ts';
import { formatSubject } from '../../../core/model/subject.ts';
import { listNames } from '../../../manifests/lint/values/words.ts';
import type { CliContext } from '../../context.ts';
import { formatUsdPerHour, formatUsdPerMonth, totalUsd } from '../../render/format-money.ts';
import { indented, printable } from '../../render/render-lines.ts';
import { clusterPrice } from './disruption-output.ts';
import { plannedSavings } from './plan-totals.ts';
import { evictionsOf, type NodeNamed, renderCommands } from './render-commands.ts';
import { renderStayingNodes } from './staying-nodes.ts';

const DEFAULT_COLUMNS = 120;
const MAX_SURPLUS = 4;
const TITLES: ReadonlySet<string> = new Set(['Commands', 'Nodes that stay']);

/** Renders the plan as text: the summary, the commands, and why the other nodes stay. */
export function renderDisruption(
  plan: DisruptionPlan,
  { commands }: Pick<ClusterSnapshot, 'commands'>,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const byName = new Map(plan.nodes.map((node) => [node.name, node]));
  const nodeNamed: NodeNamed = (name) => byName.get(name);
  const unread = plan.blocked.filter(({ reason }) => reason === 'NotRead');
  const lines =
    unread.length > 0
      ? [
          'Nothing was planned: disruption waits until everything that could keep a node is read.',
          ...unread.flatMap(({ subject, message }) => indented(`${formatSubject(subject)}: ${message}`, 2, width)),
        ]
      : [
          ...summary(plan, nodeNamed).flatMap((line) => indented(line, 0, width)),
          ...surplusOf(plan).flatMap((line) => indented(line, 0, width)),
          ...renderCommands(plan.commands, nodeNamed, width),
          ...renderStayingNodes(plan, commands, width),
        ];
  return lines
    .map(printable)
    .map((line) => `${color && TITLES.has(line) ? styleText('bold', line, { validateStream: false }) : line}\n`)
    .join('');
}

/** One line for each static NodePool that has too many nodes. */
function surplusOf({ surplus }: DisruptionPlan): readonly string[] {
  return [...Map.groupBy(surplus, ({ message }) => message)].map(([message, some]) => {
    const names = some.map(({ node }) => node);
    return `${counted(some.length, 'node')} deleted without regard to budgets, because ${message}: ${listNames(names, MAX_SURPLUS)}.`;
  });
}

function summary(plan: DisruptionPlan, nodeNamed: NodeNamed): readonly string[] {
  const { commands, nodes } = plan;
  const now = clusterPrice(plan);
  const cost = `${formatUsdPerHour(now)} (${formatUsdPerMonth(now)})`;
  if (nodes.length === 0) return ['The snapshot has no nodes: nothing would change.'];
  const none = plan.surplus.length === 0 ? 'No node would be removed' : 'No command';
  const ours = nodes.filter(({ nodeClaim }) => nodeClaim !== undefined).length;
  const areAllOurs = ours === nodes.length;
  if (commands.length === 0)
    return [`${none}. ${counted(nodes.length, 'node')}${areAllOurs ? '' : `, ${ours} of Kerf`} for ${cost}.`];
  const removed = commands.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const launched = commands.reduce((sum, { replacements }) => sum + replacements.length, 0);
  const after = totalUsd([now, -plannedSavings(plan)]);
  return [
    `${counted(commands.length, 'command')}: ${removed} of ${counted(nodes.length, 'node')} removed, ${launched} launched, ${counted(evictionsOf(commands, nodeNamed).length, 'eviction')}.`,
    `${areAllOurs ? 'The cluster costs' : `Without nodes of others (${nodes.length - ours}), the cluster costs`} ${cost} now and ${formatUsdPerHour(after)} (${formatUsdPerMonth(after)}) afterwards.`,
  ];
}
