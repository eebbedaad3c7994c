import type {
  DaemonSet,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ScalableWorkload,
} from '../../../apis/kubernetes.ts';
import { isRecord, type UnknownRecord } from '../../../apis/record.ts';
import { isNominationOfKerf } from '../../../core/cluster/nominated-node.ts';
import { isKeptPodAnnotation } from './kept-annotations.ts';
import { whileResized } from './resizes.ts';

/**
 * Reduces API JSON to the fields that are used: a pod of 9.7 KB takes about 1 KB here (most of it are `managedFields`, `env`,
 * probes and images). The server has validated the objects, so only their outline is checked.
 */
export type RawObject = UnknownRecord;

export function podOf(raw: RawObject): Pod | undefined {
  const spec = fieldsOf(raw['spec']);
  const { containerStatuses, initContainerStatuses } = fieldsOf(raw['status']);
  const pod = checked(
    {
      metadata: podMetadataOf(raw),
      spec: podSpecOf(spec),
      status: {
        ...statusOf(raw, ['phase', 'startTime', 'nominatedNodeName']),
        // With those of sidecars, as in the protobuf schema.
        containerStatuses: [containerStatuses, initContainerStatuses].flatMap((list) =>
          each(list, (one) => pick(one, ['name', 'allocatedResources', 'resources'])),
        ),
      },
    },
    isPod,
  );
  return pod && whileResized(pod);
}

/** Of `managedFields`, only the entry of Kerf's nomination is kept, and of the annotations only those that are read. */
function podMetadataOf(raw: RawObject): RawObject {
  const metadata = keepingAnnotations(pick(fieldsOf(raw['metadata']), METADATA_FIELDS), isKeptPodAnnotation);
  const managers = each(fieldsOf(raw['metadata'])['managedFields'], (entry) => pick(entry, ['manager', 'subresource']));
  const managedFields = managers.filter(isNominationOfKerf);
  return managedFields.length === 0 ? metadata : { ...metadata, managedFields };
}

export function nodeOf(raw: RawObject): Node | undefined {
  return checked(
    {
      metadata: metadataOf(raw),
      spec: pick(fieldsOf(raw['spec']), ['providerID', 'taints', 'unschedulable']),
      status: statusOf(raw, ['capacity', 'allocatable']),
    },
    isNode,
  );
}

export function daemonSetOf(raw: RawObject): DaemonSet | undefined {
  const { selector, template } = fieldsOf(raw['spec']);
  return checked({ metadata: metadataOf(raw), spec: { selector, template: templateOf(template) } }, isDaemonSet);
}

/** A Deployment, ReplicaSet or StatefulSet. */
export function scalableWorkloadOf(raw: RawObject): ScalableWorkload | undefined {
  const spec = fieldsOf(raw['spec']);
  const scale = pick(spec, ['replicas', 'selector']);
  return checked(
    { metadata: metadataOf(raw), spec: { ...scale, template: templateOf(spec['template']) } },
    isScalableWorkload,
  );
}

export function podTemplateOf(raw: RawObject): NamedPodTemplate | undefined {
  return checked({ metadata: metadataOf(raw), template: templateOf(raw['template']) }, isPodTemplate);
}

export function projectNamespace(raw: RawObject): Namespace | undefined {
  return checked({ metadata: metadataOf(raw) }, isNamespace);
}

export function limitRangeOf(raw: RawObject): LimitRange | undefined {
  return checked({ metadata: metadataOf(raw), spec: pick(fieldsOf(raw['spec']), ['limits']) }, isLimitRange);
}

function templateOf(template: unknown): RawObject {
  const { metadata, spec } = fieldsOf(template);
  return { metadata: pick(fieldsOf(metadata), ['labels', 'annotations']), spec: podSpecOf(fieldsOf(spec)) };
}

const PDB_STATUS_FIELDS = [
  'disruptionsAllowed',
  'expectedPods',
  'desiredHealthy',
  'currentHealthy',
  'observedGeneration',
];

export function podDisruptionBudgetOf(raw: RawObject): PodDisruptionBudget | undefined {
  return checked(
    {
      metadata: metadataOf(raw),
      spec: pick(fieldsOf(raw['spec']), ['selector', 'minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy']),
      status: statusOf(raw, PDB_STATUS_FIELDS),
    },
    isPodDisruptionBudget,
  );
}

/** The object itself, or an empty object for any other value. */
export function fieldsOf(value: unknown): RawObject {
  return isRecord(value) ? value : {};
}

/** The items of a list response. */
export function itemsOf(body: unknown): readonly RawObject[] {
  const items = fieldsOf(body)['items'];
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

const METADATA_FIELDS = [
  'name',
  'namespace',
  'uid',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'resourceVersion',
  'generation',
];

const POD_SPEC_FIELDS = [
  'nodeName',
  'hostNetwork',
  'restartPolicy',
  'overhead',
  'resources',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'priority',
  'priorityClassName',
  'schedulingGates',
  'terminationGracePeriodSeconds',
  'resourceClaims',
];

/** Omits the times of probes and heartbeats, which do not influence decisions. */
const CONDITION_FIELDS = ['type', 'status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'];

function statusOf(raw: RawObject, names: readonly string[]): RawObject {
  const status = fieldsOf(raw['status']);
  const conditions = status['conditions'];
  if (conditions === undefined) return pick(status, names);
  return { ...pick(status, names), conditions: each(conditions, (condition) => pick(condition, CONDITION_FIELDS)) };
}

/** As large as the object, and without influence on decisions. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function metadataOf(raw: RawObject): RawObject {
  return keepingAnnotations(pick(fieldsOf(raw['metadata']), METADATA_FIELDS), (key) => key !== LAST_APPLIED);
}

function keepingAnnotations(metadata: RawObject, isKept: (key: string, valueBytes: number) => boolean): RawObject {
  const annotations = Object.entries(fieldsOf(metadata['annotations']));
  const kept = annotations.filter(([key, value]) => isKept(key, Buffer.byteLength(String(value))));
  return kept.length === annotations.length ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}

function podSpecOf(spec: RawObject): RawObject {
  return {
    ...pick(spec, POD_SPEC_FIELDS),
    containers: each(spec['containers'], containerOf),
    ...(spec['initContainers'] === undefined ? {} : { initContainers: each(spec['initContainers'], containerOf) }),
    ...(spec['volumes'] === undefined ? {} : { volumes: each(spec['volumes'], volumeOf) }),
  };
}

function volumeOf(volume: RawObject): RawObject {
  const kept = pick(volume, ['name', 'persistentVolumeClaim']);
  if (volume['ephemeral'] === undefined) return kept;
  const spec = fieldsOf(fieldsOf(fieldsOf(volume['ephemeral'])['volumeClaimTemplate'])['spec']);
  return { ...kept, ephemeral: { volumeClaimTemplate: { spec: pick(spec, ['storageClassName']) } } };
}

function containerOf(container: RawObject): RawObject {
  return pick(container, ['name', 'resources', 'ports', 'restartPolicy']);
}

/** Copies only fields that are set, not `undefined` or null. */
export function pick(from: RawObject, names: readonly string[]): RawObject {
  const found = names.filter((name) => from[name] !== undefined && from[name] !== null);
  return Object.fromEntries(found.map((name) => [name, from[name]]));
}

export function each(list: unknown, cut: (fields: RawObject) => RawObject): readonly RawObject[] {
  return Array.isArray(list) ? list.filter(isRecord).map(cut) : [];
}

export function checked<T>(value: unknown, is: (value: unknown) => value is T): T | undefined {
  return is(value) ? value : undefined;
}

export function isPod(value: unknown): value is Pod {
  return isNamed(value) && Array.isArray(fieldsOf(fieldsOf(value)['spec'])['containers']);
}

export function isNode(value: unknown): value is Node {
  return isNamed(value);
}

function isDaemonSet(value: unknown): value is DaemonSet {
  return isNamed(value) && isRecord(fieldsOf(fieldsOf(value)['spec'])['selector']);
}

function isLimitRange(value: unknown): value is LimitRange {
  return isNamed(value) && Array.isArray(fieldsOf(fieldsOf(value)['spec'])['limits']);
}

function isNamespace(value: unknown): value is Namespace {
  return isNamed(value);
}

function isScalableWorkload(value: unknown): value is ScalableWorkload {
  return isNamed(value);
}

function isPodTemplate(value: unknown): value is NamedPodTemplate {
  return isNamed(value);
}

function isPodDisruptionBudget(value: unknown): value is PodDisruptionBudget {
  return isNamed(value);
}

export function isNamed(value: unknown): boolean {
  return typeof fieldsOf(fieldsOf(value)['metadata'])['name'] === 'string';
}
