import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';

export const ACTIVITIES = ['spot warning', 'join', 'drain', 'launch', 'termination', 'expiry'] as const;
export type Activity = (typeof ACTIVITIES)[number];

type MethodsOf<Name extends 'cluster' | 'cloud' | 'store' | 'leases' | 'catalogue' | 'messages'> =
  `${Name}.${keyof ControllerPorts[Name] & string}`;

/** Every method of the ports of a cluster. */
export type Method =
  | MethodsOf<'cluster'>
  | MethodsOf<'cloud'>
  | MethodsOf<'store'>
  | MethodsOf<'leases'>
  | MethodsOf<'catalogue'>
  | MethodsOf<'messages'>;

/**
 * `needed`: the activity waits for the method. `unless-refused`: it waits, but continues after a permanent refusal. `tick`: the next
 * ticks replace what the method does.
 */
export type Need = 'needed' | 'unless-refused' | 'tick';

function all(need: Need): Readonly<Record<Activity, Need>> {
  return { 'spot warning': need, join: need, drain: need, launch: need, termination: need, expiry: need };
}

/** What decides about new nodes needs all objects that decide where pods fit. */
const LAUNCH = { launch: 'needed' } as const;
/** A drain that is not begun by its own wake needs the record, and the node that was deleted or expired. */
const BEGIN = { drain: 'needed', expiry: 'needed' } as const;
const EVICT = { 'spot warning': 'needed', ...BEGIN } as const;

/**
 * The methods that each activity needs. Every other method may fail without delaying it.
 * - spot warning: from the event to the first eviction.
 * - join: from the launched instance to the initialized node, with the labels of its instance type.
 * - drain: from the deletion of a Node to the eviction of its last pod.
 * - launch: from a pod without a node to the launch of its instance.
 * - termination: from the last eviction to the termination of the instance.
 * - expiry: from the end of the lifetime of a node to the first eviction.
 */
export const NEEDS: Readonly<Record<Method, Partial<Record<Activity, Need>>>> = {
  'cluster.applyNodeClaim': {},
  'cluster.claimCluster': {},
  'cluster.deleteNode': {},
  'cluster.deleteNodeClaim': {},
  'cluster.deletePod': {},
  'cluster.evictPod': EVICT,
  // A run uses the last answer of its process.
  'cluster.findOtherAutoscalers': {},
  'cluster.listAutoModePools': {},
  'cluster.listCapacityBuffers': {},
  'cluster.listDaemonSets': LAUNCH,
  // Only pods whose affinity selects namespaces by labels wait.
  'cluster.listNamespaces': {},
  'cluster.listNodeClaims': {},
  // A join needs the AMI family for the labels of the instance type.
  'cluster.listNodeClasses': { ...LAUNCH, join: 'needed' },
  // Prices are those of AWS meanwhile.
  'cluster.listNodeOverlays': {},
  'cluster.listNodePools': LAUNCH,
  'cluster.listNodes': { ...LAUNCH, ...BEGIN, join: 'needed' },
  'cluster.listPersistentVolumeClaims': {},
  'cluster.listPodDisruptionBudgets': {},
  'cluster.listPodTemplates': {},
  'cluster.listPods': LAUNCH,
  'cluster.listPodsOnNode': { ...EVICT, termination: 'needed' },
  'cluster.listScalableWorkloads': {},
  'cluster.listUnboundPods': LAUNCH,
  'cluster.listVolumeAttachments': {},
  'cluster.nominatePod': {},
  'cluster.patchCapacityBuffer': {},
  'cluster.patchNode': { join: 'needed' },
  'cluster.patchNodeClaim': {},
  'cluster.patchNodeClass': {},
  'cluster.patchNodeOverlay': {},
  'cluster.patchNodePool': {},
  'cluster.publishEvent': {},
  'cluster.readNode': {},
  'cluster.readStorage': {},
  'cluster.removeNodeClaim': {},
  'cloud.autoMode': {},
  'cloud.describeCatalogue': {},
  'cloud.describeInstanceHealth': {},
  'cloud.describeInstances': {},
  'cloud.ensureInstanceProfile': {},
  'cloud.instanceOwners': {},
  'cloud.admitLaunch': LAUNCH,
  'cloud.launch': LAUNCH,
  'cloud.nameInstances': {},
  'cloud.releaseNodeClass': {},
  'cloud.removeOldLaunchTemplates': {},
  'cloud.removeUnusedInstanceProfiles': {},
  'cloud.resolveNodeClass': LAUNCH,
  'cloud.shiftedZones': {},
  'cloud.tagInstance': {},
  'cloud.terminate': { termination: 'needed' },
  'cloud.whyNotAuthorized': {},
  'store.closeDecision': {},
  'store.createNodeClaim': LAUNCH,
  'store.endCommand': {},
  'store.findNodeClaim': { 'spot warning': 'needed' },
  'store.hasDeletedClaims': {},
  'store.hasOpenDecisions': {},
  'store.isOnStandby': {},
  'store.listCommands': {},
  // The runs of a tick find their claims in it. A spot warning wakes termination for one claim.
  'store.listNodeClaims': { ...BEGIN, join: 'needed', termination: 'needed' },
  'store.listMoves': {},
  'store.listNominations': {},
  'store.nominate': {},
  'store.openDecisions': LAUNCH,
  'store.readEpoch': LAUNCH,
  'store.readPassMemory': {},
  'store.readUnusedLaunches': {},
  'store.readNodeClaim': { ...LAUNCH, ...EVICT },
  'store.readNodeClaims': LAUNCH,
  'store.recordDecision': LAUNCH,
  'store.recordMove': {},
  'store.recordShadow': {},
  'store.setStandby': {},
  'store.writePassMemory': {},
  'store.writeUnusedLaunches': {},
  'store.continueCommand': {},
  'store.startCommand': {},
  // If it is refused, each claim of the group is launched for itself.
  'store.updateNodeClaims': { launch: 'unless-refused' },
  'store.updateNodeClaim': { ...LAUNCH, ...EVICT },
  'leases.acquire': { launch: 'unless-refused' },
  'leases.release': {},
  'leases.renew': {},
  'leases.see': { launch: 'unless-refused' },
  'catalogue.learnMemory': {},
  'catalogue.listLearnedMemory': {},
  'catalogue.listUnavailable': {},
  'catalogue.markUnavailable': {},
  'catalogue.readCatalogue': { ...LAUNCH, join: 'needed' },
  'catalogue.writeCatalogue': {},
  'messages.publish': {},
  'messages.wake': all('tick'),
};
