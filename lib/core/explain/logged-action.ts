import { cutText } from '../../apis/formats/quote.ts';
import { optional } from '../../apis/optional.ts';
import type { Action } from '../model/decision.ts';
import type { DisruptionCommand, DisruptionMethod } from '../model/disruption-command.ts';
import type { LaunchOption } from '../model/node-claim-record.ts';
import { nameWithNamespace } from '../model/subject.ts';
import { toMicros } from '../usd-per-hour.ts';

/** An action in a log line. It has no content of an object, so no user data, tags or values of labels. */
export interface LoggedAction {
  readonly kind: Action['kind'];
  readonly nodeClaim?: string;
  readonly node?: string;
  readonly instance?: string;
  readonly nodePool?: string;
  readonly command?: string;
  /** Of a disruption command, and its score (E26). */
  readonly method?: DisruptionMethod;
  readonly score?: number;
  /** The first pods, nodes and instance types by name, and how many there are. */
  readonly pods?: readonly string[];
  readonly podCount?: number;
  readonly nodes?: readonly string[];
  readonly nodeCount?: number;
  readonly instanceTypes?: readonly string[];
  readonly typeCount?: number;
  readonly zone?: string;
  readonly capacityType?: string;
  /** Of the cheapest option of a new node; of a disruption, what its nodes cost. */
  readonly usdPerHour?: number;
  /** What the replacements of a disruption cost. */
  readonly replacementUsdPerHour?: number;
  /** Of a disruption that was executed. */
  readonly savingUsdPerHour?: number;
  readonly reason?: string;
  readonly why?: string;
  readonly attempt?: number;
}

const MAX_NAMES = 3;
/** In characters. A message of EC2 may be long. */
const LONGEST_TEXT = 200;

/** What the log shows of an action: the objects, the reason and the price. */
export function loggedAction(action: Action): LoggedAction {
  const { kind } = action;
  switch (action.kind) {
    case 'create-node-claim': {
      const { name, nodePool, pods, options } = action.nodeClaim;
      const why = action.message === undefined ? {} : { why: cut(action.message) };
      return { kind, nodeClaim: name, nodePool, ...podsOf(pods), ...typesOf(options), ...why };
    }
    case 'launch-instance': {
      const { nodeClaim, attempt, request } = action;
      return { kind, nodeClaim, nodePool: request.nodePool, attempt, ...typesOf(request.overrides) };
    }
    case 'nominate-node':
      return { kind, node: action.node, ...podsOf(action.pods) };
    case 'register-node':
    case 'initialize-node':
    case 'cordon-node':
    case 'uncordon-node':
      return { kind, nodeClaim: action.nodeClaim, node: action.node.name };
    case 'start-disruption':
    case 'continue-disruption':
      return { kind, ...commandOf(action.command) };
    case 'end-disruption': {
      const { command, outcome, why, savingUsdPerHour } = action;
      return { kind, command, reason: outcome, why: cut(why), ...optional({ savingUsdPerHour }) };
    }
    case 'delete-node-claim':
      return { kind, nodeClaim: action.nodeClaim, reason: action.reason, why: cut(action.message) };
    case 'evict-pod':
      return { kind, nodeClaim: action.nodeClaim, ...podsOf([nameWithNamespace(action.pod)]) };
    case 'terminate-instance': {
      const { nodeClaim, instanceId: instance, message } = action;
      return { kind, nodeClaim, instance, ...optional({ why: message && cut(message) }) };
    }
    case 'tag-instance':
      return { kind, nodeClaim: action.nodeClaim, instance: action.instanceId };
    case 'release-node-claim':
    case 'learn-memory':
      return { kind, nodeClaim: action.nodeClaim };
    case 'mark-unavailable': {
      const { instanceType, zone, capacityType, reason } = action.offering;
      return { kind, instanceTypes: [instanceType], zone, capacityType, reason };
    }
  }
}

function commandOf({
  id,
  method,
  reason,
  candidates,
  replacements,
  score,
}: DisruptionCommand): Omit<LoggedAction, 'kind'> {
  const types = replacements.flatMap(({ instanceTypes }) => instanceTypes.slice(0, 1));
  return {
    command: id,
    method,
    reason,
    nodes: candidates.slice(0, MAX_NAMES).map(({ node }) => node),
    nodeCount: candidates.length,
    usdPerHour: priceOf(candidates),
    ...optional({ score }),
    ...(replacements.length > 0 && {
      instanceTypes: types.slice(0, MAX_NAMES),
      replacementUsdPerHour: priceOf(replacements),
    }),
  };
}

function priceOf(all: readonly { readonly priceUsdPerHour: number }[]): number {
  return toMicros(all.reduce((sum, { priceUsdPerHour }) => sum + priceUsdPerHour, 0));
}

function podsOf(pods: readonly string[]): Pick<LoggedAction, 'pods' | 'podCount'> {
  return { pods: pods.slice(0, MAX_NAMES), podCount: pods.length };
}

function typesOf(
  options: readonly Pick<LaunchOption, 'instanceType' | 'priceUsdPerHour'>[],
): Pick<LoggedAction, 'instanceTypes' | 'typeCount' | 'usdPerHour'> {
  const types = [...new Set(options.map(({ instanceType }) => instanceType))];
  const [cheapest] = options;
  return {
    instanceTypes: types.slice(0, MAX_NAMES),
    typeCount: types.length,
    ...(cheapest !== undefined && { usdPerHour: toMicros(cheapest.priceUsdPerHour) }),
  };
}

function cut(text: string): string {
  return cutText(text, LONGEST_TEXT);
}
