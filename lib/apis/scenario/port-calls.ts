/** The calls that faults can name. The simulator has a test that the list is complete. */
const METHODS = {
  cluster: words(
    'listUnboundPods listPods listPodsOnNode listNodes readNode listNodePools listNodeClasses',
    'listDaemonSets listPodDisruptionBudgets listNodeClaims listNodeOverlays listCapacityBuffers',
    'listPodTemplates listNamespaces listVolumeAttachments listPersistentVolumeClaims readStorage',
    'listScalableWorkloads findOtherAutoscalers listAutoModePools patchNode deleteNode evictPod deletePod',
    'nominatePod applyNodeClaim deleteNodeClaim removeNodeClaim claimCluster patchNodePool patchNodeClass',
    'patchNodeClaim patchNodeOverlay patchCapacityBuffer publishEvent',
  ),
  cloud: words(
    'launch admitLaunch terminate tagInstance nameInstances resolveNodeClass whyNotAuthorized ensureInstanceProfile',
    'removeUnusedInstanceProfiles releaseNodeClass removeOldLaunchTemplates describeInstances',
    'instanceOwners describeInstanceHealth shiftedZones autoMode describeCatalogue',
  ),
  store: words(
    'readNodeClaim listNodeClaims readNodeClaims hasDeletedClaims findNodeClaim createNodeClaim updateNodeClaim updateNodeClaims readEpoch',
    'recordDecision openDecisions hasOpenDecisions closeDecision recordShadow startCommand continueCommand listCommands endCommand',
    'readPassMemory writePassMemory readUnusedLaunches writeUnusedLaunches recordMove listMoves nominate listNominations setStandby isOnStandby',
  ),
  leases: ['see', 'acquire', 'renew', 'release'],
  catalogue: 'readCatalogue writeCatalogue markUnavailable listUnavailable learnMemory listLearnedMemory'.split(' '),
  messages: ['wake', 'publish'],
} satisfies Readonly<Record<string, readonly string[]>>;

/** `store.listNodeClaims` and so on, and `store.*` for all methods of a port. */
export const PORT_CALLS: readonly string[] = Object.entries(METHODS).flatMap(([port, methods]) => [
  `${port}.*`,
  ...methods.map((method) => `${port}.${method}`),
]);

/** The calls of each AWS API and of the API server. */
export const CALLS_OF_API = {
  ec2: words(
    'cloud.launch cloud.terminate cloud.tagInstance cloud.nameInstances cloud.describeInstances cloud.instanceOwners',
    'cloud.describeInstanceHealth cloud.resolveNodeClass cloud.whyNotAuthorized',
    'cloud.removeOldLaunchTemplates cloud.describeCatalogue',
  ),
  iam: ['cloud.ensureInstanceProfile', 'cloud.removeUnusedInstanceProfiles', 'cloud.releaseNodeClass'],
  eks: ['cloud.shiftedZones', 'cloud.autoMode'],
  kubernetes: ['cluster.*'],
  dynamodb: ['store.*', 'leases.*', 'catalogue.*'],
  sqs: ['messages.wake'],
} satisfies Readonly<Record<string, readonly string[]>>;

export type ThrottledApi = keyof typeof CALLS_OF_API;

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}
