import { counted } from '../../../apis/counted.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { DisruptionPlan } from '../../../core/disruption/plan-disruption.ts';
import { whyUnaffected } from '../../../core/explain/why-node.ts';
import type { Blocked } from '../../../core/model/decision.ts';
import type { DisruptionCommand } from '../../../core/model/disruption-command.ts';
import { listNames } from '../../../manifests/lint/values/words.ts';
import { andMore, indented, MAX_ROWS } from '../../render/render-lines.ts';

const MAX_NAMES = 4;

/** A reason with more messages than this is one group, with an example. */
const MAX_MESSAGES = 3;

export interface StayingNode {
  readonly name: string;
  readonly why: string;
  /** Undefined if `why` is all there is. */
  readonly message: string | undefined;
}

/** Nodes that stay for the same reason. */
export interface StayingGroup {
  readonly text: string;
  readonly nodes: readonly string[];
}

/** Renders why each node that no command removes stays. Nodes with the same reason are grouped, the largest group first. */
export function renderStayingNodes(
  plan: DisruptionPlan,
  commands: readonly DisruptionCommand[],
  width: number,
): readonly string[] {
  const groups = stayingGroups(stayingNodes(plan, commands));
  if (groups.length === 0) return [];
  const shown = groups.slice(0, MAX_ROWS);
  const hidden = groups.slice(MAX_ROWS).reduce((sum, { nodes }) => sum + nodes.length, 0);
  return [
    '',
    'Nodes that stay',
    ...shown.flatMap(({ text, nodes }) => [
      ...indented(`${counted(nodes.length, 'node')}: ${text}`, 2, width),
      ...indented(listNames(nodes, MAX_NAMES), 6, width),
    ]),
    ...andMore(hidden, 'node'),
  ];
}

/** The largest group first. */
export function stayingGroups(nodes: readonly StayingNode[]): readonly StayingGroup[] {
  return [...Map.groupBy(nodes, ({ why }) => why)]
    .flatMap(([why, same]) => {
      const byMessage = [...Map.groupBy(same, ({ message }) => message)];
      if (byMessage.length <= MAX_MESSAGES) return byMessage.map(([message, some]) => groupOf(some, why, message));
      return [groupOf(same, why, `for example, ${byMessage[0]?.[0] ?? ''}`)];
    })
    .toSorted((a, b) => b.nodes.length - a.nodes.length || compareText(a.text, b.text));
}

function groupOf(nodes: readonly StayingNode[], why: string, message: string | undefined): StayingGroup {
  return {
    text: message === undefined ? why : `${why}: ${message}`,
    nodes: nodes.map(({ name }) => name).toSorted(compareText),
  };
}

/** The nodes that no command of the plan removes. */
export function stayingNodes(
  { commands, surplus, blocked, nodes }: DisruptionPlan,
  inProgress: readonly DisruptionCommand[],
): readonly StayingNode[] {
  const removed = new Set(commands.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name)));
  const refused = Map.groupBy(
    blocked.filter(({ subject }) => subject.kind === 'Node'),
    ({ subject }) => subject.name,
  );
  const busy = new Set(inProgress.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  const beyond = new Set(surplus.map(({ nodeClaim }) => nodeClaim));
  return nodes.flatMap((node): readonly StayingNode[] => {
    const { name } = node;
    if (removed.has(name) || beyond.has(node.nodeClaim?.name ?? '')) return [];
    // A drifted node may have one reason for which it is not replaced, and another for which it is not consolidated.
    const refusals: readonly Blocked[] = refused.get(name) ?? [];
    if (refusals.length === 0) return [{ name, why: whyUnaffected(node, busy), message: undefined }];
    const why = [...new Set(refusals.map(({ reason }) => reason))].join(', ');
    return [{ name, why, message: [...new Set(refusals.map(({ message }) => message))].join('; ') }];
  });
}
