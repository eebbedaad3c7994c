import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { DaemonSet, Node, Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { manifestSchema } from '../../apis/schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from '../../apis/schemas/ec2-node-class.ts';
import { NODE_POOL } from '../../apis/schemas/node-pool.ts';
import { withDefaults } from '../../apis/with-defaults.ts';

/**
 * API JSON cut to the fields that we read: a pod has 9.7 KB as the server sends it, and some 1 KB here (`managedFields`,
 * `env`, probes and images are most of it). The server validated the objects: only their outline is checked.
 */
export type Fields = Readonly<Record<string, unknown>>;

export function podOf(raw: Fields): Pod | undefined {
  const spec = fieldsOf(raw['spec']);
  return checked(
    {
      metadata: metadataOf(raw),
      spec: podSpecOf(spec),
      status: pick(fieldsOf(raw['status']), ['phase', 'conditions', 'startTime', 'nominatedNodeName']),
    },
    isPod,
  );
}

export function nodeOf(raw: Fields): Node | undefined {
  return checked(
    {
      metadata: metadataOf(raw),
      spec: pick(fieldsOf(raw['spec']), ['providerID', 'taints', 'unschedulable']),
      status: pick(fieldsOf(raw['status']), ['capacity', 'allocatable', 'conditions']),
    },
    isNode,
  );
}

export function daemonSetOf(raw: Fields): DaemonSet | undefined {
  const spec = fieldsOf(raw['spec']);
  const template = fieldsOf(spec['template']);
  return checked(
    {
      metadata: metadataOf(raw),
      spec: {
        selector: spec['selector'],
        template: {
          metadata: pick(fieldsOf(template['metadata']), ['labels', 'annotations']),
          spec: podSpecOf(fieldsOf(template['spec'])),
        },
      },
    },
    isDaemonSet,
  );
}

export function podDisruptionBudgetOf(raw: Fields): PodDisruptionBudget | undefined {
  return checked(
    {
      metadata: metadataOf(raw),
      spec: pick(fieldsOf(raw['spec']), ['selector', 'minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy']),
      status: pick(fieldsOf(raw['status']), ['disruptionsAllowed']),
    },
    isPodDisruptionBudget,
  );
}

/** A CRD of somebody else's, or an older one, may fill in less than ours. */
const NODE_POOL_SCHEMA = manifestSchema(NODE_POOL);
const NODE_CLASS_SCHEMA = manifestSchema(EC2_NODE_CLASS);

export function nodePoolOf(raw: Fields): NodePool | undefined {
  return checked(withDefaults(custom(raw, 'karpenter.sh/v1', 'NodePool'), NODE_POOL_SCHEMA), isNodePool);
}

export function nodeClaimOf(raw: Fields): NodeClaim | undefined {
  return checked(custom(raw, 'karpenter.sh/v1', 'NodeClaim'), isNodeClaim);
}

export function nodeClassOf(raw: Fields): EC2NodeClass | undefined {
  return checked(withDefaults(custom(raw, 'karpenter.k8s.aws/v1', 'EC2NodeClass'), NODE_CLASS_SCHEMA), isNodeClass);
}

/** The object itself, or nothing to read from where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The items of a list answer. */
export function itemsOf(body: unknown): readonly Fields[] {
  const items = fieldsOf(body)['items'];
  return Array.isArray(items) ? items.filter(isFields) : [];
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

function metadataOf(raw: Fields): Fields {
  const metadata = pick(fieldsOf(raw['metadata']), METADATA_FIELDS);
  const annotations = fieldsOf(metadata['annotations']);
  const { 'kubectl.kubernetes.io/last-applied-configuration': applied, ...rest } = annotations;
  // As large as the object, and nothing that we decide by.
  return applied === undefined ? metadata : { ...metadata, annotations: rest };
}

function podSpecOf(spec: Fields): Fields {
  return {
    ...pick(spec, POD_SPEC_FIELDS),
    containers: each(spec['containers'], containerOf),
    ...(spec['initContainers'] === undefined ? {} : { initContainers: each(spec['initContainers'], containerOf) }),
    ...(spec['volumes'] === undefined
      ? {}
      : { volumes: each(spec['volumes'], (volume) => pick(volume, ['name', 'persistentVolumeClaim', 'ephemeral'])) }),
  };
}

function containerOf(container: Fields): Fields {
  const kept = pick(container, ['name', 'resources', 'ports', 'restartPolicy']);
  if (container['volumeMounts'] === undefined) return kept;
  return { ...kept, volumeMounts: each(container['volumeMounts'], (mount) => pick(mount, ['name', 'mountPath'])) };
}

function custom(raw: Fields, apiVersion: string, kind: string): Fields {
  // Items of a list carry neither; the list's own address says what they are.
  return { apiVersion, kind, metadata: metadataOf(raw), ...pick(raw, ['spec', 'status']) };
}

/** Only what is there: `undefined` and null would both be fields that nobody set. */
function pick(from: Fields, names: readonly string[]): Fields {
  const found = names.filter((name) => from[name] !== undefined && from[name] !== null);
  return Object.fromEntries(found.map((name) => [name, from[name]]));
}

function each(list: unknown, cut: (fields: Fields) => Fields): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isFields).map(cut) : [];
}

function checked<T>(value: unknown, is: (value: unknown) => value is T): T | undefined {
  return is(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPod(value: unknown): value is Pod {
  return isNamed(value) && Array.isArray(fieldsOf(fieldsOf(value)['spec'])['containers']);
}

function isNode(value: unknown): value is Node {
  return isNamed(value);
}

function isDaemonSet(value: unknown): value is DaemonSet {
  return isNamed(value) && isFields(fieldsOf(fieldsOf(value)['spec'])['selector']);
}

function isPodDisruptionBudget(value: unknown): value is PodDisruptionBudget {
  return isNamed(value);
}

function isNodePool(value: unknown): value is NodePool {
  return isNamed(value) && isFields(fieldsOf(value)['spec']);
}

function isNodeClaim(value: unknown): value is NodeClaim {
  return isNamed(value) && isFields(fieldsOf(value)['spec']);
}

function isNodeClass(value: unknown): value is EC2NodeClass {
  return isNamed(value) && isFields(fieldsOf(value)['spec']);
}

function isNamed(value: unknown): boolean {
  return typeof fieldsOf(fieldsOf(value)['metadata'])['name'] === 'string';
}
