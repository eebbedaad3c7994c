import { namespaceOf } from '../../../apis/kubernetes.ts';
import { ZONE } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../apis/storage.ts';
import { matchesClaim } from '../../../core/scheduling/volumes/matches-claim.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import { type NodeLabels, nodeLabelOf } from '../scheduler/scheduler-node.ts';
import { volumeFor } from './match-volume.ts';
import type { StorageState } from './storage-state.ts';

/** Binds claims to volumes, and provisions volumes. */

const STATIC_ONLY = 'kubernetes.io/no-provisioner';

/** The provisioners whose volumes are in one zone. The volumes of others, such as EFS, can be reached from every node. */
const ZONAL: ReadonlySet<string> = new Set(['ebs.csi.aws.com', 'kubernetes.io/aws-ebs', 'ebs.csi.eks.amazonaws.com']);

/** Whether the claim is bound. */
export function isClaimBound({ spec, status }: PersistentVolumeClaim): boolean {
  return status?.phase === 'Bound' && spec.volumeName !== undefined;
}

/** The class of a claim; undefined if it has none, or none of that name exists. */
export function classOf(storage: StorageState, { spec }: PersistentVolumeClaim): StorageClass | undefined {
  return storage.classes.get(spec.storageClassName ?? '');
}

/** Whether the claim waits for the node of its first pod. */
export function isDelayed(storage: StorageState, claim: PersistentVolumeClaim): boolean {
  return classOf(storage, claim)?.volumeBindingMode === 'WaitForFirstConsumer';
}

function bindClaim(storage: StorageState, claim: PersistentVolumeClaim, volume: PersistentVolume): void {
  const { name, uid } = claim.metadata;
  storage.volumes.set(volume.metadata.name, {
    ...volume,
    spec: { ...volume.spec, claimRef: { namespace: namespaceOf(claim), name, ...optional({ uid }) } },
  });
  const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' };
  storage.claims.set(objectKeyOf(claim), {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status: { ...claim.status, phase: 'Bound' },
  });
  storage.version += 1;
}

/** How a claim gets its volume: an existing one, a new one, or why it gets none. */
export type VolumeSource =
  | { readonly kind: 'existing'; readonly volume: PersistentVolume }
  | { readonly kind: 'provisioned'; readonly storageClass: StorageClass }
  | { readonly kind: 'none' };

/** The source of the volume of a claim that waits for a node, if its pod is bound to this node. */
export function sourceOnNode(
  storage: StorageState,
  claim: PersistentVolumeClaim,
  at: { readonly node: NodeLabels; readonly taken: ReadonlySet<string> },
): VolumeSource {
  if (claim.spec.volumeName !== undefined) return { kind: 'none' };
  const volume = volumeFor(storage.volumes.values(), claim, at);
  if (volume !== undefined) return { kind: 'existing', volume };
  const storageClass = classOf(storage, claim);
  if (storageClass === undefined || !canProvision(storageClass, claim)) return { kind: 'none' };
  return isAllowed(storageClass, at.node) ? { kind: 'provisioned', storageClass } : { kind: 'none' };
}

/** Whether only an existing volume can be bound to the claim. */
export function hasStaticSourceOnly(storage: StorageState, claim: PersistentVolumeClaim): boolean {
  const storageClass = classOf(storage, claim);
  return storageClass === undefined || !canProvision(storageClass, claim);
}

/** The EBS CSI driver and others provision no volume for a claim with a selector. */
function canProvision({ provisioner }: StorageClass, { spec }: PersistentVolumeClaim): boolean {
  return provisioner !== STATIC_ONLY && spec.selector === undefined;
}

function isAllowed({ allowedTopologies = [] }: StorageClass, node: NodeLabels): boolean {
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values = [] }) => values.includes(nodeLabelOf(node, key) ?? '')),
    )
  );
}

/** Creates a volume for the claim, in the zone if volumes of the class are in one zone. */
function provisionVolume(
  storage: StorageState,
  claim: PersistentVolumeClaim,
  { storageClass, zone }: { readonly storageClass: StorageClass; readonly zone: string | undefined },
): PersistentVolume {
  const { provisioner, reclaimPolicy = 'Delete', metadata } = storageClass;
  const { accessModes, volumeMode, resources } = claim.spec;
  const name = freeName(storage, `pv-${namespaceOf(claim)}-${claim.metadata.name}`);
  const inZone = { matchExpressions: [{ key: ZONE, operator: 'In' as const, values: [zone ?? ''] }] };
  const isZonal = ZONAL.has(provisioner) && zone !== undefined;
  const made: PersistentVolume = {
    metadata: { name, uid: uidOf('PersistentVolume', { metadata: { name } }) },
    spec: {
      storageClassName: metadata.name,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      csi: { driver: driverOf(provisioner), volumeHandle: `vol-${name}` },
      ...optional({ accessModes, volumeMode, capacity: resources?.requests }),
      ...(isZonal && { nodeAffinity: { required: { nodeSelectorTerms: [inZone] } } }),
    },
  };
  storage.volumes.set(name, made);
  storage.version += 1;
  return made;
}

/** The CSI driver that has replaced an in-tree provisioner. */
export function driverOf(provisioner: string): string {
  return provisioner === 'kubernetes.io/aws-ebs' ? 'ebs.csi.aws.com' : provisioner;
}

function freeName({ volumes }: StorageState, name: string): string {
  let free = name;
  for (let count = 2; volumes.has(free); count += 1) free = `${name}-${count}`;
  return free;
}

/** Binds a claim unless it must wait for a node, or for a volume. `zoneFor` chooses the zone of a new volume of a class. */
export function bindClaimNow(
  storage: StorageState,
  claim: PersistentVolumeClaim,
  zoneFor: (storageClass: StorageClass) => string | undefined,
): void {
  const { volumeName } = claim.spec;
  if (volumeName !== undefined && volumeName !== '') {
    const named = storage.volumes.get(volumeName);
    if (named !== undefined && matchesClaim(named, claim)) bindClaim(storage, claim, named);
    return;
  }
  const found = volumeFor(storage.volumes.values(), claim);
  const storageClass = classOf(storage, claim);
  const isReserved = found?.spec.claimRef !== undefined;
  if (isDelayed(storage, claim) && !isReserved) return;
  if (found !== undefined) return bindClaim(storage, claim, found);
  if (storageClass === undefined || !canProvision(storageClass, claim)) return;
  bindClaim(storage, claim, provisionVolume(storage, claim, { storageClass, zone: zoneFor(storageClass) }));
}

/** Binds a claim that waits for a node to a volume that the node reaches. */
export function bindOnNode(storage: StorageState, claim: PersistentVolumeClaim, node: NodeLabels): void {
  const source = sourceOnNode(storage, claim, { node, taken: new Set() });
  if (source.kind === 'existing') bindClaim(storage, claim, source.volume);
  if (source.kind !== 'provisioned') return;
  const { storageClass } = source;
  bindClaim(storage, claim, provisionVolume(storage, claim, { storageClass, zone: nodeLabelOf(node, ZONE) }));
}
