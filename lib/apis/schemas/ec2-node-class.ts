import { OBJECT_META } from './object-meta.ts';
import {
  BOOLEAN,
  COUNT,
  closed,
  INTEGER,
  listOf,
  mapOf,
  oneOf,
  QUANTITY,
  resource,
  type Schema,
  STRING,
  STRINGS,
  TEXT,
  text,
} from './schema.ts';

const TAGS: Schema = { ...mapOf('tag-text', text('tag-text')), maxProperties: 20 };
const TERMS = { minItems: 1, maxItems: 30 };
const PERCENT: Schema = { type: 'integer', minimum: 0, maximum: 100 };
const SIGNALS: Schema = { type: 'object', additionalProperties: STRING };

/** A3.15, A3.16: a map that the kubelet's own configuration closes; these are the keys that Karpenter documents. */
const KUBELET: Schema = {
  type: 'object',
  properties: {
    maxPods: COUNT,
    podsPerCore: COUNT,
    clusterDNS: STRINGS,
    kubeReserved: mapOf('qualified-name', QUANTITY),
    systemReserved: mapOf('qualified-name', QUANTITY),
    evictionHard: SIGNALS,
    evictionSoft: SIGNALS,
    evictionSoftGracePeriod: SIGNALS,
    evictionMaxPodGracePeriod: INTEGER,
    imageGCHighThresholdPercent: PERCENT,
    imageGCLowThresholdPercent: PERCENT,
    cpuCFSQuota: BOOLEAN,
  },
};

/** A3.19 */
const BLOCK_DEVICE_MAPPING: Schema = closed({
  deviceName: STRING,
  rootVolume: BOOLEAN,
  ebs: closed({
    volumeSize: text('ebs-volume-size'),
    volumeType: oneOf('standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3'),
    iops: INTEGER,
    throughput: INTEGER,
    encrypted: BOOLEAN,
    kmsKeyID: STRING,
    deleteOnTermination: BOOLEAN,
    snapshotID: STRING,
    volumeInitializationRate: { type: 'integer', minimum: 100, maximum: 300 },
  }),
});

/** A3.2 to A3.9 */
const SELECTORS: Readonly<Record<string, Schema>> = {
  subnetSelectorTerms: listOf(closed({ id: text('subnet-id'), tags: TAGS }), TERMS),
  securityGroupSelectorTerms: listOf(closed({ id: text('security-group-id'), name: STRING, tags: TAGS }), TERMS),
  amiSelectorTerms: listOf(
    closed({
      alias: text('ami-alias'),
      id: text('ami-id'),
      name: STRING,
      owner: STRING,
      ssmParameter: STRING,
      tags: TAGS,
    }),
    TERMS,
  ),
  capacityReservationSelectorTerms: listOf(
    closed({
      id: text('capacity-reservation-id'),
      ownerID: text('aws-account-id'),
      instanceMatchCriteria: oneOf('open', 'targeted'),
      tags: TAGS,
    }),
    { maxItems: 30 },
  ),
  placementGroupSelector: closed({ id: text('placement-group-id'), name: TEXT }),
};

/** A3.11, A3.12, A3.23 to A3.25 */
const INSTANCE: Readonly<Record<string, Schema>> = {
  associatePublicIPAddress: BOOLEAN,
  ipPrefixCount: COUNT,
  networkInterfaces: listOf(
    closed({ networkCardIndex: COUNT, deviceIndex: COUNT, interfaceType: oneOf('interface', 'efa-only') }),
    { maxItems: 150 },
  ),
  metadataOptions: {
    ...closed({
      httpEndpoint: { ...oneOf('enabled', 'disabled'), default: 'enabled' },
      httpProtocolIPv6: { ...oneOf('enabled', 'disabled'), default: 'disabled' },
      httpPutResponseHopLimit: { type: 'integer', minimum: 1, maximum: 64, default: 1 },
      httpTokens: { ...oneOf('required', 'optional'), default: 'required' },
    }),
    default: {},
  },
  connectionTracking: {
    ...closed({
      tcpEstablishedTimeout: { type: 'integer', minimum: 60, maximum: 432_000 },
      udpStreamTimeout: { type: 'integer', minimum: 60, maximum: 180 },
      udpTimeout: { type: 'integer', minimum: 30, maximum: 60 },
    }),
    minProperties: 1,
  },
  cpuOptions: closed({ nestedVirtualization: oneOf('enabled', 'disabled') }),
};

/** A3.1 to A3.25 */
export const EC2_NODE_CLASS: Schema = resource(
  { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass' },
  {
    metadata: OBJECT_META,
    spec: closed(
      {
        ...SELECTORS,
        ...INSTANCE,
        amiFamily: oneOf('AL2', 'AL2023', 'Bottlerocket', 'Custom', 'Windows2019', 'Windows2022', 'Windows2025'),
        role: TEXT,
        instanceProfile: TEXT,
        userData: STRING,
        tags: { type: 'object', propertyNames: { type: 'string', format: 'tag-text' }, additionalProperties: STRING },
        kubelet: KUBELET,
        blockDeviceMappings: listOf(BLOCK_DEVICE_MAPPING, { maxItems: 50 }),
        instanceStorePolicy: oneOf('RAID0'),
        detailedMonitoring: BOOLEAN,
        context: STRING,
      },
      ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms'],
    ),
  },
);
