import { ANY_VALUE, anyOf, fields, gone, laterOf, list, type ManifestShape } from '../documents/shape.ts';

/** Every field of Karpenter's APIs before v1. */

const TAINTS = (of: string): ManifestShape =>
  list(fields(`a taint of ${of}`, anyOf('key', 'value', 'effect', 'timeAdded')));

const KUBELET_FIELDS = anyOf(
  'clusterDNS',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'maxPods',
  'podsPerCore',
  'cpuCFSQuota',
);

const EBS = anyOf(
  'deleteOnTermination',
  'encrypted',
  'iops',
  'kmsKeyID',
  'snapshotID',
  'throughput',
  'volumeSize',
  'volumeType',
);
const METADATA_OPTIONS = anyOf('httpEndpoint', 'httpProtocolIPv6', 'httpPutResponseHopLimit', 'httpTokens');

function object(name: string, spec: ManifestShape): ManifestShape {
  return fields(name, { ...anyOf('apiVersion', 'kind', 'metadata'), spec });
}

const PROVISIONER_NAME = 'a v1alpha5 Provisioner';

export const PROVISIONER: ManifestShape = object(
  PROVISIONER_NAME,
  fields(PROVISIONER_NAME, {
    ...anyOf('annotations', 'labels', 'provider', 'ttlSecondsAfterEmpty', 'ttlSecondsUntilExpired', 'weight'),
    taints: TAINTS(PROVISIONER_NAME),
    startupTaints: TAINTS(PROVISIONER_NAME),
    requirements: list(
      fields(`a requirement of ${PROVISIONER_NAME}`, {
        ...anyOf('key', 'operator', 'values'),
        ...laterOf('minValues'),
      }),
    ),
    providerRef: fields('providerRef', {
      ...anyOf('name', 'kind'),
      apiVersion: gone('nodeClassRef has a group instead', 'nothing: the group is written'),
    }),
    limits: fields('limits', { resources: ANY_VALUE }),
    consolidation: fields('consolidation', anyOf('enabled')),
    kubeletConfiguration: fields('kubeletConfiguration', {
      ...KUBELET_FIELDS,
      containerRuntime: gone('every node runs containerd', 'remove it; dockerd requires a custom AMI'),
    }),
  }),
);

/** Fields of an AWSNodeTemplate and of the inline provider of a Provisioner. */
const PROVIDER_FIELDS: Readonly<Record<string, ManifestShape>> = {
  ...anyOf(
    'amiFamily',
    'context',
    'instanceProfile',
    'subnetSelector',
    'securityGroupSelector',
    'tags',
    'launchTemplate',
  ),
  ...laterOf('role', 'associatePublicIPAddress', 'instanceStorePolicy'),
  metadataOptions: fields('metadataOptions', METADATA_OPTIONS),
  blockDeviceMappings: list(
    fields('a block device mapping of v1alpha1', {
      deviceName: ANY_VALUE,
      ebs: fields('ebs', EBS),
      virtualName: gone(
        'v1 has no field for instance store volumes by name',
        'write instanceStorePolicy: RAID0 to use the instance store, or mount it in userData',
      ),
      ...laterOf('rootVolume'),
    }),
  ),
};

export const PROVIDER: ManifestShape = fields('an inline provider', {
  ...PROVIDER_FIELDS,
  apiVersion: gone('it named the type of the inline provider', 'nothing: the EC2NodeClass has its own apiVersion'),
  kind: gone('it named the type of the inline provider', 'nothing: the EC2NodeClass has its own kind'),
});

const NODE_TEMPLATE_NAME = 'a v1alpha1 AWSNodeTemplate';

export const AWS_NODE_TEMPLATE: ManifestShape = object(
  NODE_TEMPLATE_NAME,
  fields(NODE_TEMPLATE_NAME, {
    ...PROVIDER_FIELDS,
    ...anyOf('userData', 'amiSelector', 'detailedMonitoring'),
    ...laterOf('kubelet'),
    apiVersion: gone('it named the type of the provider', 'nothing: the EC2NodeClass has its own apiVersion'),
    kind: gone('it named the type of the provider', 'nothing: the EC2NodeClass has its own kind'),
  }),
);

function claimFields(name: string, resources: ManifestShape): Readonly<Record<string, ManifestShape>> {
  return {
    taints: TAINTS(name),
    startupTaints: TAINTS(name),
    requirements: list(fields(`a requirement of ${name}`, anyOf('key', 'operator', 'values', 'minValues'))),
    nodeClassRef: fields('nodeClassRef', { ...anyOf('apiVersion', 'kind', 'name'), ...laterOf('group') }),
    kubelet: fields('kubelet', KUBELET_FIELDS),
    resources,
    ...laterOf('expireAfter', 'terminationGracePeriod'),
  };
}

const NODE_POOL_NAME = 'a v1beta1 NodePool';

export const BETA_NODE_POOL: ManifestShape = object(
  NODE_POOL_NAME,
  fields(NODE_POOL_NAME, {
    ...anyOf('limits', 'weight'),
    ...laterOf('replicas'),
    template: fields("a v1beta1 NodePool's template", {
      metadata: fields("the metadata of a v1beta1 NodePool's template", anyOf('labels', 'annotations')),
      spec: fields(
        "a v1beta1 NodePool's template",
        claimFields(
          NODE_POOL_NAME,
          gone(
            'Karpenter adds up the requests of the pods, and this field of a NodePool never had an effect',
            'remove it; for spare capacity write a CapacityBuffer',
          ),
        ),
      ),
    }),
    disruption: fields('disruption', {
      ...anyOf('consolidateAfter', 'consolidationPolicy', 'expireAfter'),
      budgets: list(
        fields('a budget of v1beta1', { ...anyOf('nodes', 'schedule', 'duration'), ...laterOf('reasons') }),
      ),
    }),
  }),
);

const NODE_CLAIM_NAME = 'a v1beta1 NodeClaim';

export const BETA_NODE_CLAIM: ManifestShape = object(
  NODE_CLAIM_NAME,
  fields(NODE_CLAIM_NAME, claimFields(NODE_CLAIM_NAME, ANY_VALUE)),
);

const NODE_CLASS_NAME = 'a v1beta1 EC2NodeClass';

function terms(name: string, ...known: readonly string[]): ManifestShape {
  return list(fields(`a ${name} selector term of v1beta1`, anyOf(...known)));
}

export const BETA_NODE_CLASS: ManifestShape = object(
  NODE_CLASS_NAME,
  fields(NODE_CLASS_NAME, {
    ...anyOf('associatePublicIPAddress', 'amiFamily', 'userData', 'role', 'instanceProfile', 'tags'),
    ...anyOf('instanceStorePolicy', 'detailedMonitoring', 'context'),
    subnetSelectorTerms: terms('subnet', 'tags', 'id'),
    securityGroupSelectorTerms: terms('security group', 'tags', 'id', 'name'),
    amiSelectorTerms: list(
      fields('an AMI selector term of v1beta1', {
        ...anyOf('tags', 'id', 'name', 'owner'),
        ...laterOf('alias', 'ssmParameter'),
      }),
    ),
    metadataOptions: fields('metadataOptions', METADATA_OPTIONS),
    blockDeviceMappings: list(
      fields('a block device mapping of v1beta1', {
        ...anyOf('deviceName', 'rootVolume'),
        ebs: fields('ebs', EBS),
      }),
    ),
    ...laterOf('kubelet', 'capacityReservationSelectorTerms', 'placementGroupSelector', 'networkInterfaces'),
    ...laterOf('ipPrefixCount', 'connectionTracking', 'cpuOptions'),
  }),
);
