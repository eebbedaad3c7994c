import { counted } from '../../../apis/counted.ts';
import { isReschedulable } from '../../../core/cluster/pods.ts';
import type { StateNode } from '../../../core/cluster/state-node.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { DisruptionPlan } from '../../../core/disruption/plan-disruption.ts';
import type { Blocked } from '../../../core/model/decision.ts';
import type { DisruptionCommand } from '../../../core/model/disruption-command.ts';
import { listNames } from '../../../manifests/lint/values/words.ts';
import { andMore, indented, MAX_ROWS } from '../../render/render-lines.ts';

const MAX_NAMES = 4;

/** Nodes that stay for the same reason. */
interface StayingNodes {
  readonly why: string;
  readonly nodes: readonly string[];
  /** The messages of the nodes, without duplicates; empty if `why` is all there is. */
  readonly messages: readonly string[];
}

/** Renders why each node that no command removes stays. Nodes with the same reason are grouped, the largest group first. */
export function renderStayingNodes(
  plan: DisruptionPlan,
  commands: readonly DisruptionCommand[],
  width: number,
): readonly string[] {
  const groups = stayingNodes(plan, commands);
  if (groups.length === 0) return [];
  const shown = groups.slice(0, MAX_ROWS);
  const hidden = groups.slice(MAX_ROWS).reduce((sum, { nodes }) => sum + nodes.length, 0);
  return [
    '',
    'Nodes that stay',
    ...shown.flatMap(({ why, nodes, messages }) => [
      ...indented(`${counted(nodes.length, 'node')}: ${[why, ...sentenceOf(messages)].join(': ')}`, 2, width),
      ...indented(listNames(nodes, MAX_NAMES), 6, width),
    ]),
    ...andMore(hidden, 'node'),
  ];
}

/** The message; if the messages of the nodes differ, the first as an example. */
function sentenceOf(messages: readonly string[]): readonly string[] {
  const [first] = messages;
  if (first === undefined) return [];
  return messages.length === 1 ? [first] : [`for example, ${first}`];
}

function stayingNodes(
  { commands, blocked, nodes }: DisruptionPlan,
  inProgress: readonly DisruptionCommand[],
): readonly StayingNodes[] {
  const removed = new Set(commands.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name)));
  const refused = new Map(blocked.flatMap((one) => (one.subject.kind === 'Node' ? [[one.subject.name, one]] : [])));
  const busy = new Set(inProgress.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  const groups = new Map<string, { readonly nodes: string[]; readonly messages: Set<string> }>();
  for (const node of nodes.filter(({ name }) => !removed.has(name))) {
    const refusal: Blocked | undefined = refused.get(node.name);
    const why = refusal?.reason ?? whyUnaffected(node, busy);
    const group = groups.get(why) ?? { nodes: [], messages: new Set() };
    group.nodes.push(node.name);
    if (refusal !== undefined) group.messages.add(refusal.message);
    groups.set(why, group);
  }
  return [...groups]
    .map(([why, group]) => ({ why, nodes: group.nodes.toSorted(compareText), messages: [...group.messages] }))
    .toSorted((a, b) => b.nodes.length - a.nodes.length || compareText(a.why, b.why));
}

/** Why no method has a refusal for the node. */
function whyUnaffected({ nodeClaim, node, initialized, deleting, pods }: StateNode, busy: ReadonlySet<string>): string {
  if (deleting) return 'already being deleted';
  if (nodeClaim === undefined) return 'not managed by Kerf';
  if (node === undefined || !initialized) return 'not initialized yet';
  if (busy.has(nodeClaim.name)) return 'in a disruption command that is in progress';
  return pods.some(isReschedulable) ? 'needed by running pods' : 'consolidateAfter of the NodePool has not passed';
}
