import type { Labels, NodeSelectorRequirement, NodeSelectorTerm, OwnerReference } from '../../lib/apis/kubernetes.ts';
import type { PersistentVolume, PersistentVolumeClaim, Storage, StorageClass } from '../../lib/apis/storage.ts';

export interface ClaimOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** The volume that it names. @default none: it is not bound */
  readonly volume?: string;
  readonly annotations?: Labels;
  /** @default 'gp3'; null leaves it out */
  readonly storageClass?: string | null;
  readonly owner?: OwnerReference;
  readonly deletionTimestamp?: string;
  readonly phase?: 'Pending' | 'Bound' | 'Lost';
}

/** A PersistentVolumeClaim `default/data` of class gp3; bound, as the annotation says, where it names a volume. */
export function aVolumeClaim(options: ClaimOptions = {}): PersistentVolumeClaim {
  const { name = 'data', namespace = 'default', storageClass = 'gp3', volume } = options;
  const bound = volume === undefined ? {} : { 'pv.kubernetes.io/bind-completed': 'yes' };
  return {
    metadata: {
      name,
      namespace,
      annotations: options.annotations ?? bound,
      ...(options.owner === undefined ? {} : { ownerReferences: [options.owner] }),
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
    },
    spec: {
      ...(storageClass === null ? {} : { storageClassName: storageClass }),
      ...(volume === undefined ? {} : { volumeName: volume }),
    },
    ...(options.phase === undefined ? {} : { status: { phase: options.phase } }),
  };
}

export interface VolumeOptions {
  readonly name?: string;
  readonly labels?: Labels;
  readonly terms?: readonly NodeSelectorTerm[];
  /** @default a volume of the EBS CSI driver */
  readonly source?: Pick<PersistentVolume['spec'], 'csi' | 'awsElasticBlockStore' | 'local' | 'hostPath'>;
  readonly deletionTimestamp?: string;
}

/** A PersistentVolume `pv-1` that any node reaches, unless terms say otherwise. */
export function aVolume(options: VolumeOptions = {}): PersistentVolume {
  const {
    name = 'pv-1',
    source = { csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` } },
    terms,
  } = options;
  return {
    metadata: {
      name,
      ...(options.labels === undefined ? {} : { labels: options.labels }),
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
    },
    spec: { ...source, ...(terms === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }) },
  };
}

/** Class `gp3` of EBS that waits for its first pod and allows every zone. */
export function aStorageClass(over: Partial<StorageClass> & { readonly name?: string } = {}): StorageClass {
  const { name = 'gp3', ...rest } = over;
  return {
    metadata: { name },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...rest,
  };
}

/** Storage with class gp3 alone, and whatever is given. */
export function someStorage(over: Partial<Storage> = {}): Storage {
  return {
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [aStorageClass()],
    csiNodes: [],
    ...over,
  };
}

/** A term that asks for the zones, and for what else is given. */
export function inZones(zones: readonly string[], ...more: readonly NodeSelectorRequirement[]): NodeSelectorTerm {
  return { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: zones }, ...more] };
}
