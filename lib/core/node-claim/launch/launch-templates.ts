import { amiFamilyOf, type BlockDeviceMapping, type EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import { PLACEMENT_PARTITION } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { UNREGISTERED_TAINT } from '../../../apis/taints.ts';
import { reservationKind } from '../../instance-type/offerings/reserved-offerings.ts';
import { isDedicated } from '../../instance-type/tenancy.ts';
import type { TypeKubelet } from '../../model/instance-type.ts';
import type {
  FleetOverride,
  HeldReservation,
  LaunchTemplateSpec,
  LaunchType,
  NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import type { ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import { isIpv6 } from '../../node-class/user-data/cluster-dns.ts';
import { nodeUserData, type UserData } from '../../node-class/user-data/user-data.ts';
import { requirementsFrom, singleValues } from '../../requirements/requirements.ts';
import { parseResources } from '../../resources/resources.ts';
import { networkInterfacesOf } from './network-interfaces.ts';

/** A line of the request that has no template yet. */
export interface FleetLine extends Omit<FleetOverride, 'template'> {
  readonly type: LaunchType;
}

export interface FleetParts {
  readonly overrides: readonly FleetOverride[];
  readonly templates: readonly LaunchTemplateSpec[];
}

interface CurrentNodeClass {
  readonly nodeClass: EC2NodeClass;
  readonly resolved: ResolvedNodeClass;
  readonly openReservations?: true;
}

/** The limit of EC2 for one request. */
const MAX_TEMPLATES = 50;
const EFA = 'vpc.amazonaws.com/efa';
/** C58: a resource, not the label of almost the same name. */
const ENCLAVES = 'eks.amazonaws.com/nitro-sandbox';

/**
 * The lines as overrides of as few launch templates as possible. *Shape:* in the order of the lines; lines that would need more
 * templates than EC2 allows are left out. *Source:* C56: templates differ by kubelet settings, EFA interfaces, the subnet of
 * several interfaces, and the reservation.
 */
export function fleetParts(
  record: NodeClaimRecord,
  current: CurrentNodeClass,
  lines: readonly FleetLine[],
): FleetParts | { readonly kind: 'unsupported'; readonly message: string } {
  if (current.nodeClass.spec.enclaveOptions?.enabled === false && requestsAny(record, ENCLAVES))
    return { kind: 'unsupported', message: NO_ENCLAVES };
  const shared = sharedTraits(record, current);
  const wantsEfa = requestsAny(record, EFA);
  const userDataOf = userDataByKubelet(record, current);
  const texts: string[] = [];
  const places = new Map<string, number>();
  const templates: LaunchTemplateSpec[] = [];
  const overrides: FleetOverride[] = [];
  for (const { type, ...line } of lines) {
    const userData = userDataOf(type.kubelet);
    if (userData.kind === 'unsupported') return userData;
    const own = ownTraits(current, { ...line, type }, wantsEfa);
    if (!texts.includes(userData.text)) texts.push(userData.text);
    const key = JSON.stringify([texts.indexOf(userData.text), own]);
    const template = places.get(key) ?? templates.length;
    if (template === MAX_TEMPLATES) continue;
    if (template === templates.length) templates.push({ ...shared, ...own, userData: userData.text });
    places.set(key, template);
    overrides.push({ ...line, template });
  }
  return { overrides, templates };
}

function requestsAny({ spec }: NodeClaimRecord, resource: string): boolean {
  return (parseResources(spec.resources.requests)[resource] ?? 0) > 0;
}

const NO_ENCLAVES =
  `the pods request ${ENCLAVES}, and enclaveOptions of the EC2NodeClass disables enclaves: set enabled to true, ` +
  'or remove enclaveOptions';

/** The settings that all templates of the claim share (C58). */
function sharedTraits(
  record: NodeClaimRecord,
  { nodeClass, resolved, openReservations }: CurrentNodeClass,
): Omit<LaunchTemplateSpec, 'userData' | 'networkInterfaces'> {
  const { spec } = nodeClass;
  const requirements = requirementsFrom(record.spec.requirements);
  const { nestedVirtualization } = spec.cpuOptions ?? {};
  return {
    instanceProfile: resolved.instanceProfile,
    blockDeviceMappings: volumesOf(nodeClass),
    metadataOptions: spec.metadataOptions,
    securityGroupIds: resolved.securityGroups.map(({ id }) => id),
    ...(spec.detailedMonitoring === true ? { detailedMonitoring: true } : {}),
    ...optional({ nestedVirtualization, openReservations }),
    ...(spec.enclaveOptions?.enabled === true || requestsAny(record, ENCLAVES) ? { enclaves: true } : {}),
    // C43.
    ...(isDedicated(requirements) ? { dedicated: true } : {}),
    ...placementOf(singleValues(requirements), resolved),
  };
}

function placementOf(only: Labels, { placementGroup }: ResolvedNodeClass): Pick<LaunchTemplateSpec, 'placementGroup'> {
  if (placementGroup === undefined) return {};
  const { id, strategy } = placementGroup;
  const partition = Number(only[PLACEMENT_PARTITION]);
  const isPlaced = strategy === 'partition' && Number.isInteger(partition);
  return { placementGroup: isPlaced ? { id, partition } : { id } };
}

function ownTraits(
  { nodeClass, resolved }: CurrentNodeClass,
  { type, subnetId, reservationId }: FleetLine,
  wantsEfa: boolean,
): Pick<LaunchTemplateSpec, 'networkInterfaces' | 'subnetId' | 'reservation'> {
  const networkInterfaces = networkInterfacesOf(nodeClass, {
    efaByCard: wantsEfa ? (type.efaInterfacesByCard ?? []) : [],
    ipv6: isIpv6(resolved.bootstrap.serviceCidr),
  });
  const reservation = heldReservation(resolved, reservationId);
  return {
    networkInterfaces,
    // C56: EC2 applies the subnet of the fleet only if there is one interface.
    ...(networkInterfaces.length > 1 ? { subnetId } : {}),
    ...optional({ reservation }),
  };
}

function heldReservation(
  { capacityReservations = [] }: ResolvedNodeClass,
  reservationId: string | undefined,
): HeldReservation | undefined {
  const reservation = capacityReservations.find(({ id }) => id === reservationId);
  return reservation === undefined ? undefined : { id: reservation.id, kind: reservationKind(reservation) };
}

/** Computed once for all types with the same kubelet settings. */
function userDataByKubelet(
  record: NodeClaimRecord,
  { nodeClass, resolved }: CurrentNodeClass,
): (kubelet: TypeKubelet | undefined) => UserData {
  const taints = [...(record.spec.taints ?? []), ...(record.spec.startupTaints ?? []), UNREGISTERED_TAINT];
  const known = new Map<string, UserData>();
  return (kubelet) => {
    const key = JSON.stringify(kubelet ?? {});
    const settings = {
      bootstrap: resolved.bootstrap,
      labels: record.labels,
      taints: amiFamilyOf(nodeClass) === 'Custom' ? [] : taints,
      ...optional({ kubelet }),
    };
    const userData = known.get(key) ?? nodeUserData(nodeClass, settings);
    known.set(key, userData);
    return userData;
  };
}

/** The volumes of an instance: those of the NodeClass, else of the AMI family (C76); none for Custom, where the image defines them. */
function volumesOf(nodeClass: EC2NodeClass): readonly BlockDeviceMapping[] {
  const { blockDeviceMappings = [] } = nodeClass.spec;
  if (blockDeviceMappings.length > 0) return blockDeviceMappings;
  const family = amiFamilyOf(nodeClass);
  if (family === 'Custom') return [];
  if (family === 'Bottlerocket') return [volume('/dev/xvda', '4Gi'), volume('/dev/xvdb', '20Gi')];
  return family.startsWith('Windows') ? [volume('/dev/sda1', '50Gi')] : [volume('/dev/xvda', '20Gi')];
}

function volume(deviceName: string, volumeSize: string): BlockDeviceMapping {
  return { deviceName, ebs: { volumeSize, volumeType: 'gp3', encrypted: true } };
}
