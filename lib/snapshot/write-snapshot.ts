import { formatExactTime } from '../apis/formats/time.ts';
import { optional } from '../apis/optional.ts';
import { type DecidedOn, plainVerdict } from '../core/decisions/decided-on.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../core/model/decision.ts';
import type { GivenUnavailableOffering, SnapshotLists } from './document-schemas.ts';
import { givenInstanceTypes } from './given-instance-types.ts';
import type { SnapshotHead } from './head-schema.ts';
import { withoutEnvironment, withoutManifests, withoutRequestedUserData, withoutUserData } from './without-secrets.ts';

/** A complete snapshot file. */
type CompleteSnapshot = SnapshotHead & Partial<SnapshotLists> & { readonly complete: true };

/**
 * Writes the snapshot as text. Reading the text gives the same decisions. *Shape:* it has the effects of NodeOverlays and
 * CapacityBuffers, not the objects. *Cost:* O(size of the snapshot). @internal
 */
export function snapshotText(snapshot: ClusterSnapshot, nowMs: number): string {
  return `${JSON.stringify(snapshotDocument(snapshot, nowMs), withoutManifests)}\n`;
}

/** The snapshot of a decision, with what else the decision has read, and its verdict. */
export function decidedText({ controller, snapshot, context, verdict }: DecidedOn): string {
  const { nowMs, decisionId, refused = [], refusedTaints = [], taints = true } = context;
  const decided = { function: controller, decisionId, refused, refusedTaints, taints, verdict: plainVerdict(verdict) };
  return `${JSON.stringify({ ...snapshotDocument(snapshot, nowMs), decided }, withoutManifests)}\n`;
}

function snapshotDocument(snapshot: ClusterSnapshot, nowMs: number): CompleteSnapshot {
  const { nodePools, namespaces, options, bufferPods = [], ignoreAtZero = [], ignoredObjects = [] } = snapshot;
  const classes = nodePools.flatMap(({ nodeClass }) => nodeClass ?? []);
  return {
    formatVersion: 1,
    complete: true,
    name: snapshot.cluster,
    epoch: snapshot.epoch,
    options: { ...options, ignoreAtZero, now: formatExactTime(nowMs) },
    nodePools: nodePools.map(({ nodePool }) => nodePool),
    nodeClasses: [...new Map(classes.map((one) => [one.metadata.name, withoutUserData(one)])).values()],
    unusableNodePools: Object.fromEntries(
      nodePools.flatMap(({ nodePool, unusable }) =>
        unusable === undefined ? [] : [[nodePool.metadata.name, unusable] as const],
      ),
    ),
    instanceTypes: givenInstanceTypes(nodePools),
    nodes: snapshot.nodes,
    pods: snapshot.pods.map(withoutEnvironment),
    bufferPods,
    daemonSets: snapshot.daemonSets,
    pdbs: snapshot.podDisruptionBudgets,
    ...optional({ namespaces }),
    ...storageLists(snapshot),
    nodeClaimRecords: snapshot.nodeClaims.map(withoutRequestedUserData),
    commands: snapshot.commands,
    rejectedNodes: snapshot.passMemory?.rejected ?? [],
    stoppedMethods: snapshot.passMemory?.stopped ?? [],
    failingPools: snapshot.passMemory?.failing ?? [],
    pastMoves: snapshot.pastMoves ?? [],
    unusedLaunches: snapshot.unusedLaunches ?? [],
    nominations: snapshot.nominated.map((node) => ({ node })),
    unavailableOfferings: snapshot.unavailable.map(givenUnavailable),
    ignoredObjects: ignoredObjects,
  };
}

function storageLists({ storage }: ClusterSnapshot): Partial<SnapshotLists> {
  if (storage === undefined) return {};
  const { persistentVolumeClaims: pvcs, persistentVolumes: pvs, storageClasses, csiNodes, volumeAttachments } = storage;
  return { pvcs, pvs, storageClasses, csiNodes, ...optional({ volumeAttachments }) };
}

function givenUnavailable({ untilMs, markedAtMs, ...offering }: UnavailableOffering): GivenUnavailableOffering {
  return {
    ...offering,
    until: formatExactTime(untilMs),
    ...(markedAtMs === undefined ? {} : { markedAt: formatExactTime(markedAtMs) }),
  };
}
