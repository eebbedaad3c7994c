import { optional } from '../../apis/optional.ts';
import type { Action } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { NodeClaimRecord, RunningInstance } from '../model/node-claim-record.ts';
import { nameWithNamespace } from '../model/subject.ts';
import { MAX_NAMES, type RecordedAction } from './decision-record.ts';

/**
 * The actions by the objects that they are about. *Shape:* the evictions of a node are one action; all others are in their order.
 * @param instances what runs for a NodeClaim, by its name: the beginning and the end of an instance are recorded with its price
 */
export function recordedActions(
  actions: readonly Action[],
  instances: ReadonlyMap<string, RunningInstance> = new Map(),
): readonly RecordedAction[] {
  const evictions = actions.filter((action) => action.kind === 'evict-pod');
  const byNode = Map.groupBy(evictions, ({ nodeClaim, force }) => JSON.stringify([nodeClaim, force !== undefined]));
  const others = actions.flatMap((action) => {
    if (action.kind === 'evict-pod') return [];
    const recorded = recordedAction(action);
    const [name = ''] = recorded.nodeClaims ?? [];
    return [BILLED.has(action.kind) ? { ...recorded, ...billed(instances.get(name)) } : recorded];
  });
  return [
    // Each claim of a group has the launch of the group.
    ...new Map(others.map((one) => [JSON.stringify(one), one])).values(),
    ...[...byNode.values()].flatMap(([first, ...more]) => (first === undefined ? [] : [evictionsOf([first, ...more])])),
  ];
}

/** With the first and the last of them, an instance begins and ends. */
const BILLED: ReadonlySet<Action['kind']> = new Set(['register-node', 'terminate-instance', 'release-node-claim']);

function billed(running: RunningInstance | undefined): Partial<RecordedAction> {
  if (running === undefined) return {};
  const { instance: of, ...rest } = running;
  const { id: instance, instanceType, zone, capacityType, priceUsdPerHour: usdPerHour } = of;
  return { ...rest, instance, instanceType, zone, capacityType, usdPerHour };
}

type Of<Kind extends Action['kind']> = Action & { readonly kind: Kind };

function evictionsOf([first, ...more]: readonly [Of<'evict-pod'>, ...Of<'evict-pod'>[]]): RecordedAction {
  const pods = [first, ...more].map(({ pod }) => nameWithNamespace(pod));
  const reason = first.force === undefined ? {} : { reason: 'forced' };
  return { kind: 'evict-pod', nodeClaims: [first.nodeClaim], ...namedPods(pods), ...reason };
}

function recordedAction(action: Exclude<Action, Of<'evict-pod'>>): RecordedAction {
  const { kind } = action;
  switch (action.kind) {
    case 'create-node-claim':
      return { kind, ...newClaim(action.nodeClaim), ...optional({ message: action.message }) };
    case 'nominate-node':
      return { kind, nodes: [action.node], ...namedPods(action.pods) };
    case 'launch-instance': {
      const { request } = action;
      const { capacityType, nodePool } = request;
      return { kind, nodeClaims: request.members ?? [action.nodeClaim], nodePool, capacityType };
    }
    case 'register-node':
    case 'initialize-node':
    case 'cordon-node':
    case 'uncordon-node':
      return { kind, nodeClaims: [action.nodeClaim], nodes: [action.node.name] };
    case 'start-disruption':
    case 'continue-disruption':
      return { kind, ...ofCommand(action.command) };
    case 'end-disruption': {
      const { command, outcome: reason, why: message, savingUsdPerHour } = action;
      return { kind, command, reason, message, ...optional({ savingUsdPerHour }) };
    }
    case 'delete-node-claim':
      return { kind, nodeClaims: [action.nodeClaim], reason: action.reason, message: action.message };
    case 'tag-instance':
      return { kind, nodeClaims: [action.nodeClaim], instance: action.instanceId };
    case 'terminate-instance':
      return {
        kind,
        nodeClaims: [action.nodeClaim],
        instance: action.instanceId,
        ...optional({ message: action.message }),
      };
    case 'release-node-claim':
      return { kind, nodeClaims: [action.nodeClaim], ...(action.node && { nodes: [action.node.name] }) };
    case 'learn-memory':
      return { kind, nodeClaims: [action.nodeClaim], instanceType: action.lesson.instanceType };
    case 'mark-unavailable': {
      const { instanceType, zone, capacityType, reason } = action.offering;
      return { kind, instanceType, zone, capacityType, reason };
    }
  }
}

function newClaim({ name, nodePool, options, pods, command }: NodeClaimRecord): Omit<RecordedAction, 'kind'> {
  const [cheapest] = options;
  return {
    nodeClaims: [name],
    nodePool,
    ...(cheapest && {
      instanceType: cheapest.instanceType,
      zone: cheapest.zone,
      capacityType: cheapest.capacityType,
      usdPerHour: cheapest.priceUsdPerHour,
    }),
    ...namedPods(pods),
    ...optional({ command }),
  };
}

function ofCommand(command: DisruptionCommand): Omit<RecordedAction, 'kind'> {
  const { id, method, reason, candidates, savingUsdPerHour, score } = command;
  return {
    command: id,
    method,
    reason,
    nodeClaims: candidates.map(({ nodeClaim }) => nodeClaim),
    nodes: candidates.map(({ node }) => node),
    ...optional({ savingUsdPerHour, score }),
  };
}

function namedPods(pods: readonly string[]): Pick<RecordedAction, 'pods' | 'morePods'> {
  if (pods.length === 0) return {};
  const more = pods.length - MAX_NAMES;
  return { pods: pods.slice(0, MAX_NAMES), ...(more > 0 && { morePods: more }) };
}
