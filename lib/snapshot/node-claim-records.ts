import { conditionStatus, type Labels, type Node } from '../apis/kubernetes.ts';
import {
  ARCH,
  CAPACITY_TYPE,
  CAPACITY_TYPES,
  type CapacityType,
  INITIALIZED,
  INSTANCE_TYPE,
  NODE_POOL,
  REGISTERED,
  ZONE,
} from '../apis/labels.ts';
import { parseTime } from '../apis/time.ts';
import { compareText } from '../core/compare-text.ts';
import { compatibleOfferings } from '../core/instance-type/compatible-offerings.ts';
import type { InstanceType } from '../core/instance-type/instance-type.ts';
import { suitableTypes } from '../core/instance-type/suitable-types.ts';
import {
  type Instance,
  instanceIdOf,
  type LaunchOption,
  type LaunchType,
  type NodeClaimRecord,
} from '../core/node-claim/record.ts';
import {
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../core/requirements/requirements.ts';
import { fits, larger, parseResources, type Resources } from '../core/resources/resources.ts';
import type { GivenNodeClaim } from './document-schemas.ts';

/** A claim that says nothing of its past has long been as it is. */
const LONG_AGO_MS = parseTime('2024-01-01T00:00:00Z');

export interface ClaimSurroundings {
  readonly cluster: string;
  readonly nodes: readonly Node[];
  /** What a pool launches; of a pool that is not there, every type. */
  readonly instanceTypesOf: (nodePool: string) => readonly InstanceType[];
}

/**
 * The records behind the NodeClaims of a cluster. *Shape:* a claim with a providerID is launched and has the node with the
 * same one; one without is in flight, as whatever its spec leaves open.
 */
export function nodeClaimRecords(
  claims: readonly GivenNodeClaim[],
  surroundings: ClaimSurroundings,
): readonly NodeClaimRecord[] {
  const byProviderId = new Map(surroundings.nodes.map((node) => [node.spec?.providerID ?? '', node]));
  const byName = new Map(surroundings.nodes.map((node) => [node.metadata.name, node]));
  return claims.map((claim) => {
    const { providerID = '', nodeName = '' } = claim.status ?? {};
    const named = byName.get(nodeName);
    // A node that does not say which instance it is, is known by its name.
    const node = providerID === '' ? undefined : (byProviderId.get(providerID) ?? unlessOther(named));
    return recordOf(claim, node, surroundings);
  });
}

function unlessOther(node: Node | undefined): Node | undefined {
  return node?.spec?.providerID === undefined ? node : undefined;
}

function recordOf(
  claim: GivenNodeClaim,
  node: Node | undefined,
  { cluster, instanceTypesOf }: ClaimSurroundings,
): NodeClaimRecord {
  const { metadata, spec, status = {} } = claim;
  const nodePool = nodePoolOf(claim, node);
  const types = instanceTypesOf(nodePool);
  const providerId = status.providerID ?? '';
  const createdAtMs = metadata.creationTimestamp === undefined ? LONG_AGO_MS : parseTime(metadata.creationTimestamp);
  const become = providerId === '' ? inFlight(claim, types) : launched(claim, { node, types });
  return {
    cluster,
    name: metadata.name,
    version: 1,
    decisionId: 'snapshot',
    nodePool,
    labels: promisedLabels(metadata.labels),
    annotations: metadata.annotations ?? {},
    spec: { ...spec, resources: { requests: spec.resources?.requests ?? {} } },
    createdAtMs,
    pods: [],
    ...become,
    ...(node === undefined ? {} : { nodeName: node.metadata.name }),
    ...(providerId === '' ? {} : pastOf(claim, node)),
    ...(metadata.deletionTimestamp === undefined
      ? {}
      : {
          deletion: {
            reason: 'deleted',
            message: 'it was deleted',
            requestedAtMs: parseTime(metadata.deletionTimestamp),
          },
        }),
  };
}

function nodePoolOf({ metadata }: GivenNodeClaim, node: Node | undefined): string {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'NodePool');
  return metadata.labels?.[NODE_POOL] ?? node?.metadata.labels?.[NODE_POOL] ?? owner?.name ?? '';
}

/** What a node says of its own progress, its claim does not say for it. */
function promisedLabels(labels: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== REGISTERED && key !== INITIALIZED));
}

type Became = Pick<NodeClaimRecord, 'options' | 'types' | 'holds' | 'allocatable' | 'launch'>;

interface Found {
  readonly node: Node | undefined;
  readonly types: readonly InstanceType[];
}

function launched({ metadata, status = {} }: GivenNodeClaim, { node, types }: Found): Became {
  const labels = { ...metadata.labels, ...node?.metadata.labels };
  const type = types.find(({ name }) => name === labels[INSTANCE_TYPE]);
  const instance = instanceOf(status, labels, type);
  const holds = parseResources(status.capacity ?? node?.status?.capacity);
  const allocatable = parseResources(status.allocatable ?? node?.status?.allocatable);
  return {
    options: [],
    types: type === undefined ? [] : [launchType(type)],
    holds: isNothing(holds) ? (type?.capacity ?? {}) : holds,
    allocatable: isNothing(allocatable) ? (type?.allocatable ?? {}) : allocatable,
    launch: { kind: 'launched', attempt: 1, instance, atMs: LONG_AGO_MS },
  };
}

function instanceOf(
  { providerID = '', imageID = '' }: NonNullable<GivenNodeClaim['status']>,
  labels: Labels,
  type: InstanceType | undefined,
): Instance {
  const zone = labels[ZONE] ?? '';
  const capacityType = capacityTypeOf(labels);
  const offering = type?.offerings.find((one) => one.zone === zone && one.capacityType === capacityType);
  return {
    id: instanceIdOf(providerID) ?? providerID.slice(providerID.lastIndexOf('/') + 1),
    instanceType: labels[INSTANCE_TYPE] ?? '',
    zone,
    capacityType,
    imageId: imageID,
    // Nothing is saved by giving up what has no price.
    priceUsdPerHour: offering?.priceUsdPerHour ?? 0,
  };
}

function capacityTypeOf(labels: Labels): CapacityType {
  return CAPACITY_TYPES.find((one) => one === labels[CAPACITY_TYPE]) ?? 'on-demand';
}

/** What a claim may still become: it is counted as the largest and offers what the smallest would (promise 2, B17). */
function inFlight({ metadata, spec, status = {} }: GivenNodeClaim, known: readonly InstanceType[]): Became {
  const requirements = merge(
    requirementsFrom(spec.requirements),
    requirementsFromLabels(promisedLabels(metadata.labels)),
  );
  const asked = parseResources(spec.resources?.requests);
  const types = suitableTypes(known, requirements).filter(
    (type) => fits(asked, type.allocatable) && compatibleOfferings(type, requirements).length > 0,
  );
  const allocatable = parseResources(status.allocatable);
  return {
    options: optionsOf(types, requirements),
    types: types.map(launchType),
    holds: types.reduce<Resources>((most, { capacity }) => larger(most, capacity), {}),
    allocatable: isNothing(allocatable) ? smallest(types.map((type) => type.allocatable)) : allocatable,
    launch: { kind: 'planned' },
  };
}

function optionsOf(types: readonly InstanceType[], requirements: Requirements): readonly LaunchOption[] {
  return types
    .flatMap((type) =>
      compatibleOfferings(type, requirements).map(({ zone, capacityType, priceUsdPerHour }) => ({
        instanceType: type.name,
        zone,
        capacityType,
        priceUsdPerHour,
      })),
    )
    .toSorted((a, b) => a.priceUsdPerHour - b.priceUsdPerHour || compareText(a.instanceType, b.instanceType));
}

function launchType({ name, requirements, capacity, allocatable }: InstanceType): LaunchType {
  const architecture = requirements.get(ARCH)?.values.has('arm64') === true ? 'arm64' : 'amd64';
  return { name, architecture, capacity, allocatable };
}

function smallest([first = {}, ...others]: readonly Resources[]): Resources {
  return others.reduce<Resources>(
    (least, one) =>
      Object.fromEntries(Object.keys(least).map((name) => [name, Math.min(least[name] ?? 0, one[name] ?? 0)])),
    first,
  );
}

function isNothing(resources: Resources): boolean {
  return Object.keys(resources).length === 0;
}

/** How far it has come: by its conditions, and all the way where it has none. */
function pastOf(claim: GivenNodeClaim, node: Node | undefined): Partial<NodeClaimRecord> {
  const { conditions, lastPodEventTime } = claim.status ?? {};
  const since = (type: string): number | undefined => {
    if (conditions === undefined) return node === undefined ? undefined : LONG_AGO_MS;
    if (conditionStatus({ status: { conditions } }, type) !== 'True') return undefined;
    const time = conditions.find((one) => one.type === type)?.lastTransitionTime;
    return time === undefined ? LONG_AGO_MS : parseTime(time);
  };
  const [registeredAtMs, initializedAtMs] = [since('Registered'), since('Initialized')];
  return {
    ...(registeredAtMs === undefined ? {} : { registeredAtMs }),
    ...(initializedAtMs === undefined ? {} : { initializedAtMs }),
    ...(lastPodEventTime === undefined ? {} : { lastPodEventAtMs: parseTime(lastPodEventTime) }),
  };
}
