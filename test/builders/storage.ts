import type {
  AccessMode,
  Labels,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  OwnerReference,
} from '../../lib/apis/kubernetes.ts';
import type { PersistentVolume, PersistentVolumeClaim, Storage, StorageClass } from '../../lib/apis/storage.ts';

export interface ClaimOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** The name of its volume. @default none: it is not bound */
  readonly volume?: string;
  readonly annotations?: Labels;
  /** @default 'gp3'; null leaves it out */
  readonly storageClass?: string | null;
  readonly owner?: OwnerReference;
  readonly accessModes?: readonly AccessMode[];
  readonly deletionTimestamp?: string;
  readonly phase?: 'Pending' | 'Bound' | 'Lost';
}

/** A PersistentVolumeClaim `default/data` of class gp3. If it names a volume, it has the annotation of a bound claim. */
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
      ...(options.accessModes === undefined ? {} : { accessModes: options.accessModes }),
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

/** A PersistentVolume `pv-1`. Without terms, every node can reach it. */
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

/** The StorageClass `gp3` of EBS with WaitForFirstConsumer and without allowed topologies. */
export function aStorageClass(over: Partial<StorageClass> & { readonly name?: string } = {}): StorageClass {
  const { name = 'gp3', ...rest } = over;
  return {
    metadata: { name },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...rest,
  };
}

/** Storage with the class gp3, and the given objects. */
export function someStorage(over: Partial<Storage> = {}): Storage {
  return {
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [aStorageClass()],
    csiNodes: [],
    ...over,
  };
}

/** A term that requires one of the zones, and the given expressions. */
export function inZones(zones: readonly string[], ...more: readonly NodeSelectorRequirement[]): NodeSelectorTerm {
  return { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: zones }, ...more] };
}
