import { MINUTE_MS, parseTime, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED } from '../../../../lib/apis/labels.ts';
import { fieldOf, recordOf } from '../../../../lib/apis/record.ts';
import { sameTaint, UNREGISTERED_TAINT } from '../../../../lib/apis/taints.ts';
import { isNodeReady } from '../../../../lib/core/cluster/state-node.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { launchingSinceMs } from '../../../../lib/core/node-claim/launch/launch.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { nodeOf } from '../nodes.ts';
import { heldDrains } from '../removals/held-drains.ts';
import { isEventIgnored } from '../standby.ts';
import { AUTOSCALERS, COMMAND_NEEDS, type Duty, LIFECYCLE, methodsFor, progressOf } from './duty.ts';
import { endOf, removalDuties, type WatchedDrains } from './removal-duties.ts';

/** Work that nothing disturbs makes progress: wakes are sent and armed, and one stuck item does not stop another (promise 7). */
export const undisturbedWorkProgresses: RuleOf = (watched) => {
  const held = heldDrains();
  const nodeNames = new Map<string, string>();
  return progressOf(watched, () => dutiesOf({ ...watched, held, nodeNames }));
};

interface WatchedClaims extends WatchedDrains {
  /** The last known name of the node of each NodeClaim. */
  readonly nodeNames: Map<string, string>;
}

/** From the proposal of a disruption: its validation after 15 s, by the run of the next minute if a wake is lost. */
const COMMAND_MS = 95 * SECOND_MS;

/** E35: a command waits ten minutes for its replacements, and then for a run. */
const REPLACING_MS = 10 * MINUTE_MS + COMMAND_MS;

/** E29: what consolidation would change is compared again after 15 s. */
const VALIDATED_AFTER_MS = 15 * SECOND_MS;

/** A proposed disruption is carried out or given up, and not before its validation (E29, E35). */
export const commandsEnd: RuleOf = (watched) => {
  const { violate, startMs, nowMs, story } = watched;
  const haveOneClock = !story.faults.some(({ kind }) => kind === 'clocks');
  const commands = new Map<string, { readonly name: string; readonly withinMs: number }>();
  const duties = progressOf(watched, () => [...commands.values()].map((one) => ({ ...one, needs: COMMAND_NEEDS })));
  return {
    ...duties,
    replaced: () => commands.clear(),
    call({ method, args: [, command] }) {
      const id = String(fieldOf(recordOf(command), 'id'));
      if (method === 'store.startCommand' && !commands.has(id))
        commands.set(id, { name: `disruption ${id} ends`, withinMs: COMMAND_MS });
      if (method === 'store.continueCommand' && commands.has(id))
        commands.set(id, { name: `disruption ${id} replaces its nodes or gives up`, withinMs: REPLACING_MS });
      const { reason, decidedAtMs } = recordOf(command);
      const forMs = startMs() + nowMs() - Number(decidedAtMs);
      const isValidated = method === 'store.continueCommand' && reason === 'Underutilized';
      if (isValidated && haveOneClock && forMs < VALIDATED_AFTER_MS)
        violate('consolidation is validated after 15 s', `${id}, after ${forMs} ms`);
      if (method === 'store.endCommand') commands.delete(String(command));
    },
  };
};

const JOIN = [
  ...methodsFor('join'),
  'store.readNodeClaim',
  'store.updateNodeClaim',
  'function:lifecycle',
  'webhook',
  'world',
];

/** The node has appeared, and needs its machine no more. */
const REGISTRATION = JOIN.map((need) => (need === 'world' ? 'users' : need));

/** A decision that cannot be carried out is given up after 5 minutes, by the next run. */
const GIVEN_UP_MS = 5 * MINUTE_MS + 80 * SECOND_MS;
const READS_OF_DECISIONS = [
  'store.openDecisions',
  'store.closeDecision',
  'store.recordDecision',
  'store.listNodeClaims',
];

function dutiesOf(watched: WatchedClaims): readonly Duty[] {
  const { records, open, nowMs } = watched;
  const duties: Duty[] = [];
  for (const record of records.values())
    if (record.releasedAtMs === undefined) duties.push(...claimDuties(watched, record));
  for (const [id, { sinceMs }] of open)
    if (nowMs() - sinceMs > 0)
      duties.push({
        name: `decision ${id} is carried out`,
        withinMs: 75 * SECOND_MS,
        needs: ['store.', 'leases.', 'cluster.', 'messages.', 'function:provisioning'],
      });
  for (const id of open.keys())
    duties.push({
      name: `decision ${id} is carried out or given up`,
      withinMs: GIVEN_UP_MS,
      needs: [...READS_OF_DECISIONS, 'leases.', 'cluster.list', 'messages.', 'function:provisioning'],
    });
  return duties;
}

/** The duties of a NodeClaim are about its record, its instance, its node and the pods there. A fault may be about a node that is gone. */
function claimDuties(watched: WatchedClaims, record: NodeClaimRecord): readonly Duty[] {
  const { nodeNames } = watched;
  const present = nodeOf(watched, record)?.metadata.name;
  if (present !== undefined) nodeNames.set(record.name, present);
  const about = (): readonly string[] => {
    const node = nodeNames.get(record.name);
    const pods = [...watched.simulation().state.pods.values()].filter(({ spec }) => spec.nodeName === node);
    const names = pods.map(({ metadata }) => metadata.name);
    const { launch } = record;
    const group = launch.kind === 'requested' ? launch.request.nodeClaim : undefined;
    return [record.name, ...[group, instanceOf(record)?.id, node].filter((one) => one !== undefined), ...names];
  };
  return dutiesOfClaim(watched, record).map((duty) => ({ about, ...duty }));
}

function dutiesOfClaim(watched: WatchedDrains, record: NodeClaimRecord): readonly Duty[] {
  const { name, launch, deletion } = record;
  // The instance of a deleted claim is terminated only when it is known.
  if (launch.kind === 'requested')
    return [
      {
        name: `the launch of NodeClaim ${name} is answered`,
        withinMs: 15 * SECOND_MS + unansweredForMs(watched, record),
        needs: [...LIFECYCLE, 'cloud.', 'messages.wake', 'world'],
      },
    ];
  if (deletion !== undefined) return removalDuties(watched, record);
  if (launch.kind === 'planned')
    return [
      {
        name: `NodeClaim ${name} is launched`,
        withinMs: 10 * SECOND_MS,
        needs: [...LIFECYCLE, 'cloud.', 'messages.wake', 'world'],
      },
    ];
  if (launch.kind !== 'launched') return [];
  const endedAtMs = endOf(watched, launch.instance.id);
  return endedAtMs === undefined ? joinDuties(watched, record) : [endDuty(watched, launch, endedAtMs)];
}

/** D36: a request that is not repeated any more has failed once EC2 had 4 minutes to list an instance. */
function unansweredForMs({ startMs, nowMs }: Watched, record: NodeClaimRecord): number {
  const { launch } = record;
  const now = startMs() + nowMs();
  if (launch.kind !== 'requested' || (launch.spent !== true && now < launchingSinceMs(record) + 5 * MINUTE_MS))
    return 0;
  const { atMs, sentAgainAtMs = atMs } = launch;
  return Math.max(0, sentAgainAtMs + 4 * MINUTE_MS - now);
}

/** EC2 sends an event when an instance shuts down. */
const EVENTS = ['store.', 'messages.', 'function:interruption', AUTOSCALERS];

/** From the reply of a launch to its record. */
const RECORDED_MS = 2 * SECOND_MS;

/**
 * The event of an instance without a record is dropped, and so is one on standby. Its end is found by a tick, after 3 minutes for a new
 * instance, because EC2 may list it late (D15).
 */
function endDuty({ startMs, nowMs, story }: Watched, { instance, atMs }: Launched, endedAtMs: number): Duty {
  const name = `the end of instance ${instance.id} is recorded`;
  const isIgnored = isEventIgnored(story.faults, endedAtMs - startMs());
  if (endedAtMs > atMs + RECORDED_MS && !isIgnored) return { name, withinMs: 20 * SECOND_MS, needs: EVENTS };
  const untilListedMs = Math.max(0, atMs + 3 * MINUTE_MS - startMs() - nowMs());
  return { name, withinMs: untilListedMs + 75 * SECOND_MS, needs: [...EVENTS, ...LIFECYCLE] };
}

type Launched = NodeClaimRecord['launch'] & { readonly kind: 'launched' };

/** B67: its registration waits for the other nodes of its decision, until 22 s after the first of them was created. */
function awaitsOthersForMs({ startMs, nowMs }: Watched, { startTurn }: NodeClaimRecord, node: Node): number {
  if (startTurn === undefined) return 0;
  return Math.max(0, parseTime(node.metadata.creationTimestamp ?? '') + 22 * SECOND_MS - startMs() - nowMs());
}

function joinDuties(watched: Watched, record: NodeClaimRecord): readonly Duty[] {
  const node = nodeOf(watched, record);
  if (node === undefined) return [];
  const { labels = {} } = node.metadata;
  const { name } = node.metadata;
  if (labels[REGISTERED] !== 'true') {
    const withinMs = 8 * SECOND_MS + awaitsOthersForMs(watched, record, node);
    return [{ name: `node ${name} is registered`, withinMs, needs: REGISTRATION }];
  }
  const startup = record.spec.startupTaints ?? [];
  const isWaiting =
    node.spec?.taints?.some(
      (taint) =>
        sameTaint(taint, UNREGISTERED_TAINT) ||
        taint.key === 'node.kubernetes.io/not-ready' ||
        startup.some((one) => sameTaint(one, taint)),
    ) === true;
  if (labels[INITIALIZED] === 'true' || isWaiting || !isNodeReady(node)) return [];
  return [{ name: `node ${name} is initialized`, withinMs: 8 * SECOND_MS, needs: JOIN }];
}
