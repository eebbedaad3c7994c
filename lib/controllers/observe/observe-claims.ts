import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { listedMembers } from '../../core/node-claim/launch/launch-groups.ts';
import { throttledUntilMs } from '../../core/node-claim/launch/launch-turns.ts';
import type { NodeClaimView } from '../../core/node-claim/lifecycle.ts';
import { isOfFormerPool } from '../../core/node-claim/mirror/former-pool.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { mapRead, type Observed, read, readOr } from '../../core/observed.ts';
import { awaitedStarts, awaitedUntilMs } from '../../core/provisioning/follow-plan/start-together.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { foundInstances } from '../instances/found-instances.ts';
import type { RemembersInstances } from '../instances/last-list.ts';
import type { SeenNodes } from '../run/fresh-state.ts';
import type {
  HasClock,
  InspectsInstances,
  ReadsClaims,
  ReadsCluster,
  ReadsZonalShifts,
  UsesCatalogue,
} from '../run/ports.ts';
import { instanceWithId, isAlive, nodeClaimNamed } from './find-observed.ts';
import { driftFacts, type ObservedDrift } from './observe-drift.ts';
import { joiningFacts, type SeenFacts } from './observe-joining.ts';
import { type LaunchContextPorts, type ObservedLaunches, observeLaunchContext } from './observe-launch-context.ts';
import { listedFacts, missingInstance, readMissing } from './observe-missing.ts';
import { observeShifts } from './observe-unavailable.ts';
import { readings } from './readings.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The observed state that all claims of one run share. */
export interface ObservedClaims extends SeenNodes, SeenFacts, ObservedLaunches, ObservedDrift {
  readonly mirrors: Observed<readonly NodeClaim[]>;
  readonly nodePools: Observed<readonly NodePool[]>;
  /** The IDs of the instances of the claims of the run. */
  readonly claimed: ReadonlySet<string>;
  /** The time before the list of instances was read. */
  readonly listedAtMs: number;
  /** Whether this run has read the list. */
  readonly isListNew: boolean;
  /** Without instances that are shutting down. */
  readonly instances: Observed<readonly DescribedInstance[]>;
  /** Instances of groups whose request is not sent again, by the claims that have none. */
  readonly ofGroups: ReadonlyMap<string, Instance>;
  /** B67: until when nodes of a decision wait for each other, by its time. */
  readonly awaitedStarts: ReturnType<typeof awaitedStarts>;
  /** B66: the claims whose nodes have got a name in this run. */
  readonly named: Set<string>;
  /** The instances that run although the list omits them: they have lost their tags. */
  readonly missing: SharedRead<Observed<readonly DescribedInstance[]>>;
  /** C36: in these zones, an instance that EC2 does not list may still run. */
  readonly shifted: Observed<ReadonlySet<string>>;
}

interface WorldOfRun extends Pick<ObservedLaunches, 'takeTurns'> {
  readonly cluster: string;
  readonly records: readonly NodeClaimRecord[];
  /** Whether the list of an earlier run is not enough for any claims. */
  readonly needsList: boolean;
}

/** Reads what the claims share. A read that fails ends only what needs it. */
export async function observeWorld(
  ports: ReadsCluster & InspectsInstances & ReadsZonalShifts & UsesCatalogue & HasClock & RemembersInstances,
  { cluster, records, needsList, takeTurns }: WorldOfRun,
): Promise<ObservedClaims> {
  const { cluster: api, cloud, catalogue, clock } = ports;
  const log = readings();
  const nowMs = clock.now();
  const last = needsList ? undefined : ports.lists?.recall(cluster, records, nowMs);
  const [nodes, mirrors, nodeClasses, nodePools, instances, shifted] = await Promise.all([
    log.observe('nodes', async () => api.listNodes()),
    log.observe('NodeClaims', async () => api.listNodeClaims()),
    log.observe('EC2NodeClasses', async () => api.listNodeClasses()),
    log.observe('NodePools', async () => api.listNodePools()),
    last === undefined ? log.observe('instances', async () => cloud.describeInstances(cluster)) : read(last.instances),
    observeShifts(cloud, log),
  ]);
  if (last === undefined && instances.kind === 'read')
    ports.lists?.keep(cluster, { atMs: nowMs, instances: instances.value });
  const alive = mapRead(instances, (all) => all.filter(isAlive));
  const list = { listedAtMs: last?.atMs ?? nowMs, isListNew: last === undefined, instances: alive, shifted };
  return {
    readings: log,
    nodes,
    mirrors,
    nodeClasses,
    nodePools,
    claimed: new Set(records.flatMap((record) => instanceOf(record)?.id ?? [])),
    ...list,
    missing: readMissing(log, ports, { cluster, records, list }),
    contexts: new Map(),
    inFlight: new Map(),
    awaitedStarts: awaitedStarts(records, {
      nodeOf: (record) => nodeOfClaim(readOr(nodes, []), record),
      launchedAtMs: (record) => instanceWithId(readOr(alive, []), instanceOf(record)?.id)?.launchedAtMs,
      isSingle: takeTurns === undefined,
    }),
    named: new Set(),
    takeTurns,
    throttled: { untilMs: throttledUntilMs(records, nowMs) },
    ofGroups: listedMembers(records, readOr(alive, [])),
    catalogue: sharedRead(async () => log.observe('the catalogue', async () => catalogue.readCatalogue())),
    learnedMemory: sharedRead(async () =>
      log.observe('learned memory', async () => catalogue.listLearnedMemory(clock.now())),
    ),
  };
}

/** The view of one claim for the decisions of lifecycle. *Shape:* unread if the claim has an instance whose node may be unread. */
export async function viewOf(
  ports: LaunchContextPorts & ReadsClaims,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<Observed<NodeClaimView>> {
  const instance = instanceOf(record);
  if (instance !== undefined && world.nodes.kind === 'unread') return world.nodes;
  const node = nodeOfClaim(readOr(world.nodes, []), record);
  // If the NodeClaims are unread, a requested deletion is found by a later run.
  const mirror = nodeClaimNamed(readOr(world.mirrors, []), record.name);
  const unlisted = await missingInstance(record, world);
  const { shown, tagged } = await foundInstances(ports, record, world);
  const drift = await driftFacts(record, world, ports.clock.now());
  return read({
    record,
    ...optional({ node, deletionTimestamp: mirror?.metadata.deletionTimestamp }),
    mirrorUid: mirror?.metadata.uid,
    isOfFormerPool: isOfFormerPool(record, world),
    shown,
    listed: mapRead(world.instances, (instances) => ({
      atMs: world.listedAtMs,
      ...listedFacts(instances, { instance, unlisted }, world),
      ...optional({ tagged, ofGroup: world.ofGroups.get(record.name) }),
    })),
    ...optional({ instanceUntagged: readOr(unlisted, undefined)?.untagged }),
    ...(await joiningFacts(record, node, world)),
    initializationTimeoutMs: ports.settings.initializationTimeoutMs,
    awaitsOthersUntilMs: ports.settings.nominatePods ? awaitedUntilMs(record, world.awaitedStarts) : undefined,
    drift,
    launchContext: await observeLaunchContext(ports, record, world),
    takeTurns: world.takeTurns,
  });
}
