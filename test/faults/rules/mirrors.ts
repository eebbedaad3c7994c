import { parseNillableDuration } from '../../../lib/apis/formats/duration.ts';
import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED, TERMINATION_FINALIZER } from '../../../lib/apis/labels.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import { isEphemeral, sameTaint } from '../../../lib/apis/taints.ts';
import { isNodeReady } from '../../../lib/core/cluster/state-node.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { LIFECYCLE, progressOf } from './progress/duty.ts';

/** The next tick shows a loss. */
const SHOWN_WITHIN_MS = 75 * SECOND_MS;

/** A run shows what it read at its start. */
const RUN_MS = 30 * SECOND_MS;

/** What users read of a NodeClaim and its node is true: the conditions, and the labels of its node. */
export const whatIsShownIsTrue: RuleOf = ({ violate, simulation, records, nowMs, story }) => {
  let isReplaced = false;
  /** When a refusal of EC2 took the request to terminate back. */
  const takenBackMs = new Map<string, number>();
  const rule = 'what is shown of a NodeClaim is true';
  const isSlow = story.faults.some((one) => one.kind === 'calls-slow' && one.upToMs > MINUTE_MS / 4);
  return {
    // A function that runs during a restore shows what it has read before.
    replaced() {
      isReplaced = true;
    },
    recordWritten({ name, deletion }, before) {
      const had = before?.deletion?.terminateRequestedAtMs !== undefined;
      if (had && deletion?.terminateRequestedAtMs === undefined) takenBackMs.set(name, nowMs());
    },
    mirrorWritten(after, before) {
      const record = records.get(after.metadata.name);
      if (isReplaced || record === undefined) return;
      const isJustTakenBack = nowMs() - (takenBackMs.get(record.name) ?? -Infinity) < RUN_MS;
      for (const type of isTrueFor(record))
        if (
          hasTrue(after, type) &&
          !(before !== undefined && hasTrue(before, type)) &&
          !(type === 'InstanceTerminating' && isJustTakenBack)
        )
          violate(rule, `NodeClaim ${record.name}: condition ${type} is True, and its record does not have it`);
      // An abandoned run goes on while its function is warm, and shows what it has read before.
      const early = isSlow ? undefined : consolidatableEarly(after, record, simulation);
      if (early !== undefined) violate(rule, `NodeClaim ${record.name}: ${early}`);
    },
    patchingNode({ name, resourceVersion }, { labels = {} }) {
      if (labels[INITIALIZED] !== 'true') return;
      const node = simulation().state.nodes.get(name);
      if (node === undefined || node.metadata.labels?.[INITIALIZED] === 'true') return;
      // The API server refuses a patch of an older version.
      if (resourceVersion !== undefined && resourceVersion !== node.metadata.resourceVersion) return;
      const startup = [...records.values()].find(({ nodeName }) => nodeName === name)?.spec.startupTaints ?? [];
      const why = whyNotUsable(node, startup);
      if (why !== undefined) violate(rule, `node ${name} was to be labelled as initialized: ${why}`);
    },
    unsettled: () =>
      [...records.values()].flatMap((record) => {
        const mirror = simulation().state.nodeClaims.get(record.name);
        if (mirror === undefined || record.deletion !== undefined || record.initializedAtMs === undefined) return [];
        return hasTrue(mirror, 'Ready') ? [] : [`NodeClaim ${record.name} is initialized and not shown as Ready`];
      }),
  };
};

/** A request to terminate that EC2 refused is not shown as accepted (D26). */
export const refusalsAreShown: RuleOf = (watched) =>
  progressOf(watched, () =>
    [...watched.records.values()].flatMap(({ name, deletion, releasedAtMs }) => {
      const mirror = watched.simulation().state.nodeClaims.get(name);
      const isRequested = deletion?.terminateRequestedAtMs !== undefined;
      if (mirror === undefined || deletion === undefined || isRequested || releasedAtMs !== undefined) return [];
      const duty = `NodeClaim ${name}, whose instance is not being terminated, is not shown as terminating`;
      return hasTrue(mirror, 'InstanceTerminating')
        ? [{ name: duty, withinMs: SHOWN_WITHIN_MS, needs: LIFECYCLE }]
        : [];
    }),
  );

/**
 * The removed object of a deleted claim is not created again, because `kubectl wait --for=delete` ends when it is gone. A slow call
 * may create it after its function has read the record.
 */
export const removedObjectsStayRemoved: RuleOf = ({ violate, records, story }) => {
  const isSlow = story.faults.some(({ kind }) => kind === 'calls-slow');
  const shown = new Set<string>();
  return {
    mirrorWritten({ metadata: { name } }, before) {
      if (before === undefined && shown.has(name) && records.get(name)?.deletion !== undefined && !isSlow)
        violate('removed objects stay removed', `NodeClaim ${name} is deleted, and its object is created again`);
      shown.add(name);
    },
  };
};

/** The finalizer keeps the object of a NodeClaim that a user deletes until its node is drained and its instance has ended (D17). */
export const objectsHaveTheirFinalizer: RuleOf = ({ violate }) => ({
  mirrorWritten({ metadata: { name, deletionTimestamp, finalizers = [] } }) {
    if (deletionTimestamp === undefined && !finalizers.includes(TERMINATION_FINALIZER))
      violate('an object keeps its finalizer until its instance has ended', `NodeClaim ${name} has no finalizer`);
  },
});

/** A1.29: Kubernetes deletes the NodeClaims of a deleted NodePool by their owner, which is set only when the object is created. */
export const objectsHaveTheirOwner: RuleOf = ({ violate, simulation, records }) => ({
  mirrorWritten({ metadata: { name, ownerReferences = [] } }, before) {
    const { nodePool = '', nodePoolUid } = records.get(name) ?? {};
    const pool = simulation().state.nodePools.get(nodePool);
    // The claim may be of a NodePool that was replaced by one of the same name.
    if (before !== undefined || pool?.metadata.uid === undefined || pool.metadata.uid !== nodePoolUid) return;
    if (!ownerReferences.some(({ uid }) => uid === pool.metadata.uid))
      violate('a NodeClaim is deleted with its NodePool', `NodeClaim ${name} does not have its NodePool as owner`);
  },
});

/** A node that is lost is not shown as registered (D8). */
export const lossesAreShown: RuleOf = (watched) =>
  progressOf(watched, () =>
    [...watched.records.values()].flatMap(({ name, nodeLostAtMs, deletion, releasedAtMs }) => {
      const mirror = watched.simulation().state.nodeClaims.get(name);
      if (nodeLostAtMs === undefined || mirror === undefined || (deletion ?? releasedAtMs) !== undefined) return [];
      const isShown = ['Registered', 'Initialized', 'Ready'].every((type) => !hasTrue(mirror, type));
      const duty = `NodeClaim ${name}, whose node disappeared, is not shown as registered`;
      return isShown ? [] : [{ name: duty, withinMs: SHOWN_WITHIN_MS, needs: LIFECYCLE }];
    }),
  );

/** D13: the condition begins after the consolidateAfter of the NodePool. */
function consolidatableEarly(
  { status }: NodeClaim,
  { nodePool, initializedAtMs }: NodeClaimRecord,
  simulation: Watched['simulation'],
): string | undefined {
  const shown = status?.conditions?.find((one) => one.type === 'Consolidatable' && one.status === 'True');
  const after = simulation().state.nodePools.get(nodePool)?.spec.disruption.consolidateAfter;
  if (shown === undefined || after === undefined || initializedAtMs === undefined) return undefined;
  const sinceMs = initializedAtMs + (parseNillableDuration(after) ?? Infinity);
  const earlyMs = sinceMs - parseTime(shown.lastTransitionTime ?? '');
  return earlyMs > SECOND_MS ? `Consolidatable is ${earlyMs / SECOND_MS} s too early` : undefined;
}

/** The conditions that must not be True for the record. */
function isTrueFor({ launch, registeredAtMs, initializedAtMs, deletion }: NodeClaimRecord): readonly string[] {
  return [
    ...(launch.kind === 'launched' ? [] : ['Launched']),
    ...(registeredAtMs === undefined ? ['Registered', 'Ready'] : []),
    ...(initializedAtMs === undefined ? ['Initialized', 'Ready'] : []),
    ...(deletion === undefined ? ['Drained', 'InstanceTerminating', 'DisruptionReason'] : []),
    ...(deletion?.terminateRequestedAtMs === undefined ? ['InstanceTerminating'] : []),
  ];
}

function hasTrue({ status }: NodeClaim, type: string): boolean {
  return status?.conditions?.find((one) => one.type === type)?.status === 'True';
}

function whyNotUsable(node: Node, startup: NonNullable<NodeClaimRecord['spec']['startupTaints']>): string | undefined {
  if (node.metadata.labels?.[REGISTERED] !== 'true') return 'it is not registered';
  if (!isNodeReady(node)) return 'it is not Ready';
  const left = node.spec?.taints?.find((taint) => isEphemeral(taint) || startup.some((one) => sameTaint(one, taint)));
  return left === undefined ? undefined : `it has the taint ${left.key}`;
}
