import { type LabelView, someTermHolds } from './label-selectors.ts';
import type {
  RawClaimSpec,
  RawNodeSelectorTerm,
  RawPersistentVolume,
  RawPod,
  RawSnapshot,
  RawStorageClass,
  RawVolumeClaim,
} from './raw-documents.ts';
import { HOSTNAME, keyOf } from './well-known-labels.ts';

/** The requirements of the volumes of a pod on a node. */
export interface VolumeNeeds {
  /** The reason why the pod cannot be placed yet. */
  readonly missing: string | undefined;
  /** One list of alternatives for each volume with a location; the node must meet one alternative of each list. */
  readonly places: readonly (readonly RawNodeSelectorTerm[])[];
  /** The CSI volumes to attach: driver and handle. */
  readonly attached: readonly { readonly driver: string; readonly handle: string }[];
}

export function volumeNeeds(snapshot: RawSnapshot): (pod: RawPod) => VolumeNeeds {
  const index: VolumeIndex = {
    claims: new Map((snapshot.pvcs ?? []).map((one) => [keyOf(one.metadata), one])),
    volumes: new Map((snapshot.pvs ?? []).map((one) => [one.metadata.name, one])),
    classes: new Map((snapshot.storageClasses ?? []).map((one) => [one.metadata.name, one])),
  };
  return (pod) => {
    const needs = (pod.spec.volumes ?? []).flatMap((volume) => {
      const namespace = pod.metadata.namespace ?? 'default';
      if (volume.persistentVolumeClaim !== undefined) {
        return [needsOf(`${namespace}/${volume.persistentVolumeClaim.claimName}`, undefined, index)];
      }
      const name = `${namespace}/${pod.metadata.name}-${volume.name}`;
      return volume.ephemeral === undefined ? [] : [needsOf(name, volume.ephemeral.volumeClaimTemplate.spec, index)];
    });
    return {
      missing: needs.map(({ missing }) => missing).find((one) => one !== undefined),
      places: needs.flatMap(({ places }) => places),
      attached: needs.flatMap(({ attached }) => attached),
    };
  };
}

/** Whether a node with these labels can reach every volume. */
export function volumesReach({ places }: VolumeNeeds, labels: LabelView): boolean {
  return places.every((terms) => someTermHolds(terms, labels));
}

interface VolumeIndex {
  readonly claims: ReadonlyMap<string, RawVolumeClaim>;
  readonly volumes: ReadonlyMap<string, RawPersistentVolume>;
  readonly classes: ReadonlyMap<string, RawStorageClass>;
}

function needsOf(name: string, template: RawClaimSpec | undefined, index: VolumeIndex): VolumeNeeds {
  const claim = index.claims.get(name);
  // B11: the claim of an ephemeral volume may not exist yet.
  const spec = claim?.spec ?? template;
  if (spec === undefined) {
    return refused(`the PersistentVolumeClaim ${name} does not exist`);
  }
  if (claim?.metadata.deletionTimestamp !== undefined) {
    return refused(`the PersistentVolumeClaim ${name} is being deleted`);
  }
  if (claim?.status?.phase === 'Lost') {
    return refused(`the PersistentVolumeClaim ${name} has lost its volume`);
  }
  if (spec.volumeName !== undefined && spec.volumeName !== '') {
    return needsOfBound(spec.volumeName, index);
  }
  return needsOfUnbound(name, spec, index);
}

function needsOfBound(volumeName: string, { volumes }: VolumeIndex): VolumeNeeds {
  const volume = volumes.get(volumeName);
  if (volume === undefined) {
    return refused(`the PersistentVolume ${volumeName} does not exist`);
  }
  const { csi, awsElasticBlockStore, local, hostPath, nodeAffinity } = volume.spec;
  const terms = nodeAffinity?.required?.nodeSelectorTerms;
  // B42: a local disk does not bind a pod to its node.
  const onNode = local !== undefined || hostPath !== undefined;
  const driver = csi?.driver ?? (awsElasticBlockStore === undefined ? undefined : EBS);
  return {
    missing: undefined,
    places:
      terms === undefined ? [] : [onNode ? terms.flatMap(withoutHostname) : terms].filter((one) => one.length > 0),
    attached: driver === undefined ? [] : [{ driver, handle: csi?.volumeHandle ?? volumeName }],
  };
}

function withoutHostname(term: RawNodeSelectorTerm): readonly RawNodeSelectorTerm[] {
  const matchExpressions = (term.matchExpressions ?? []).filter(({ key }) => key !== HOSTNAME);
  return matchExpressions.length === 0 ? [] : [{ matchExpressions }];
}

function needsOfUnbound(name: string, spec: RawClaimSpec, { classes }: VolumeIndex): VolumeNeeds {
  const storageClass = classes.get(spec.storageClassName ?? '');
  if (storageClass === undefined) {
    return refused(`the PersistentVolumeClaim ${name} is not bound and has no StorageClass`);
  }
  if ((storageClass.volumeBindingMode ?? 'Immediate') === 'Immediate') {
    return refused(`the PersistentVolumeClaim ${name} is not bound yet, and its class binds immediately`);
  }
  const terms = (storageClass.allowedTopologies ?? []).map(({ matchLabelExpressions = [] }) => ({
    matchExpressions: matchLabelExpressions.map(({ key, values }) => ({
      key: nodeLabelFor(key),
      operator: 'In',
      values,
    })),
  }));
  const driver = storageClass.provisioner ?? '';
  return {
    missing: undefined,
    places: terms.length === 0 ? [] : [terms],
    attached: [{ driver: driver === 'kubernetes.io/aws-ebs' ? EBS : driver, handle: name }],
  };
}

/** The EBS driver uses its own label for the zone; its value is that of the node's zone label. */
function nodeLabelFor(key: string): string {
  return key === 'topology.ebs.csi.aws.com/zone' ? 'topology.kubernetes.io/zone' : key;
}

function refused(missing: string): VolumeNeeds {
  return { missing, places: [], attached: [] };
}

const EBS = 'ebs.csi.aws.com';
