import { parseTime } from '../../apis/formats/time.ts';
import type { Labels, Node, OwnerReference, Taint } from '../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
  DO_NOT_SYNC_TAINTS,
  INITIALIZED,
  INSTANCE_TYPE,
  REGISTERED,
  TERMINATION_FINALIZER,
  ZONE,
} from '../../apis/labels.ts';
import { formatTaint, isEphemeral, sameTaint, UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { isNodeReady } from '../cluster/state-node.ts';
import { reservationLabels } from '../instance-type/offerings/reservation-labels.ts';
import { tenancyLabel } from '../instance-type/tenancy.ts';
import { onceFor } from '../kept-answers.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../model/node-claim-record.ts';
import type { NodePatch } from '../model/node-patch.ts';
import { requirementsFrom } from '../requirements/requirements.ts';
import { parseResources, UNREADABLE_OFFER } from '../resources/resources.ts';

/** D5, D6: the changes of the node at registration: labels, taints, finalizer, owner; the unregistered taint is removed. */
export function registrationPatch(
  record: NodeClaimRecord,
  node: Node,
  { instanceLabels, mirrorUid }: { readonly instanceLabels: Labels; readonly mirrorUid?: string | undefined },
): NodePatch {
  const present = (node.spec?.taints ?? []).filter((taint) => taint.key !== UNREGISTERED_TAINT.key);
  const synced = node.metadata.labels?.[DO_NOT_SYNC_TAINTS] === 'true';
  // Pods run on a node that was initialized before: its startup is over.
  const { taints = [], startupTaints = [] } = record.spec;
  const wanted = synced ? [] : [...taints, ...(wasInitialized(record, node) ? [] : startupTaints)];
  const missing = wanted.filter((taint) => !present.some((one) => sameTaint(one, taint)));
  return {
    labels: {
      ...instanceLabels,
      // C19: the types allow both tenancies. The label of a claim that Karpenter has launched is in its record.
      ...tenancyLabel(requirementsFrom(record.spec.requirements)),
      ...offeringLabels(record),
      ...record.labels,
      [REGISTERED]: 'true',
    },
    annotations: record.annotations,
    taints: [...present, ...missing],
    finalizers: [...new Set([...(node.metadata.finalizers ?? []), TERMINATION_FINALIZER])],
    ...(mirrorUid === undefined ? {} : { ownerReferences: ownersOf(node, { name: record.name, uid: mirrorUid }) }),
  };
}

/** D6: the owners of the node, with its NodeClaim. */
export function ownersOf(
  { metadata: { ownerReferences = [] } }: Node,
  { name, uid }: { readonly name: string; readonly uid: string },
): readonly OwnerReference[] {
  const ours = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid, blockOwnerDeletion: true };
  return [...ownerReferences.filter((one) => one.uid !== uid), ours];
}

/** The labels of the launched offering (C22, C54). */
export function offeringLabels(record: NodeClaimRecord): Labels {
  const instance = instanceOf(record);
  if (instance === undefined) return {};
  const { instanceType, zone, capacityType, reservation } = instance;
  return {
    [INSTANCE_TYPE]: instanceType,
    [ZONE]: zone,
    [CAPACITY_TYPE]: capacityType,
    ...(reservation === undefined ? {} : reservationLabels(reservation)),
  };
}

/**
 * The Node of a claim: the one with the provider ID of its instance. An instance whose kubelet has changed its name has a second one. Of
 * several, it is the one that the record names, or else a registered one, or else one that is Ready, or else the first.
 * *Shape:* undefined without an instance or a Node. *Cost:* O(n) for the first question about a list, O(1) for each further one.
 * *Source:* D5.
 */
export function nodeOfClaim(nodes: readonly Node[], record: NodeClaimRecord): Node | undefined {
  const instance = instanceOf(record);
  const found = instance === undefined ? undefined : byProviderId(nodes).get(providerIdOf(instance));
  const rank = (node: Node): number =>
    Number(node.metadata.name === record.nodeName) * 4 + Number(isRegistered(node)) * 2 + Number(isNodeReady(node));
  return found?.toSorted((a, b) => rank(b) - rank(a))[0];
}

const byProviderId = onceFor((nodes: readonly Node[]) => Map.groupBy(nodes, ({ spec }) => spec?.providerID));

/** Whether the node has the registration. A node with the label that still has the taint lacks it: its kubelet set the label (D5). */
export function isRegistered(node: Node): boolean {
  return node.metadata.labels?.[REGISTERED] === 'true' && !hasUnregisteredTaint(node);
}

export function hasUnregisteredTaint({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === UNREGISTERED_TAINT.key) === true;
}

export function isInitialized(node: Node): boolean {
  return node.metadata.labels?.[INITIALIZED] === 'true';
}

/** Whether this Node object was initialized before, although it lacks the registration: a user has removed its label. */
export function wasInitialized({ initializedAtMs }: NodeClaimRecord, node: Node): boolean {
  const { creationTimestamp } = node.metadata;
  if (isInitialized(node)) return true;
  return (
    initializedAtMs !== undefined && creationTimestamp !== undefined && parseTime(creationTimestamp) < initializedAtMs
  );
}

/** D7: why the node is not initialized yet, in words; undefined if it can be initialized. */
export function whyNotInitialized(record: NodeClaimRecord, node: Node): string | undefined {
  if (!isNodeReady(node)) return 'the node is not Ready';
  const taints = node.spec?.taints ?? [];
  const pending = taints.find((taint) => isEphemeral(taint) || isStartup(record, taint));
  if (pending !== undefined) return `the node still has the taint ${formatTaint(pending)}`;
  const allocatable = parseResources(node.status?.allocatable, UNREADABLE_OFFER);
  const missing = Object.entries(parseResources(record.spec.resources.requests)).find(
    ([name, amount]) => name.includes('/') && amount > 0 && (allocatable[name] ?? 0) === 0,
  );
  return missing === undefined ? undefined : `the resource ${missing[0]} is not registered yet`;
}

function isStartup(record: NodeClaimRecord, taint: Taint): boolean {
  return (record.spec.startupTaints ?? []).some((one) => sameTaint(one, taint));
}
