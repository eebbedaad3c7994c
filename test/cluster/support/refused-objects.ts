/** Objects with one mistake each, and the text that the response must contain so that a user finds the mistake. */
import type { Kind, Sample } from './resources.ts';
import { aCapacityBuffer, aNodeClaim, aNodeClass, aNodeOverlay, aNodePool, aTemplate } from './samples.ts';

interface Refused {
  readonly kind: Kind;
  readonly why: string;
  readonly row: string;
  readonly object: Sample;
  readonly says: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const TEMPLATE = 'spec.template.spec';

const requirement = (fields: Fields): Sample =>
  aNodePool({}, { requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'], ...fields }] });
const budget = (fields: Fields): Sample =>
  aNodePool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', ...fields }] } });
const labels = (...keys: readonly string[]): Sample =>
  aNodePool({ template: aTemplate({}, { labels: Object.fromEntries(keys.map((key) => [key, 'a'])) }) });
const volumes = (...ebs: readonly Fields[]): Sample =>
  aNodeClass({ blockDeviceMappings: ebs.map((volume) => ({ rootVolume: true, ebs: volume })) });

type Row = readonly [row: string, why: string, object: Sample, ...says: readonly string[]];

const ROWS: readonly Row[] = [
  ['A1.3', "Karpenter's label domain is not free", labels('karpenter.sh/team'), 'metadata.labels', 'karpenter.sh'],
  ['A1.3', 'a label cannot name the pool', labels('karpenter.sh/nodepool'), 'metadata.labels'],
  [
    'A1.3',
    "the node class's domain is not free",
    labels('karpenter.k8s.aws/x'),
    'metadata.labels',
    'karpenter.k8s.aws',
  ],
  [
    'A1.5',
    'an operator of no known name',
    requirement({ operator: 'Is' }),
    `${TEMPLATE}.requirements[0].operator`,
    'NotIn',
  ],
  ['A1.5', 'In without values', requirement({ values: [] }), `${TEMPLATE}.requirements`, 'In'],
  ['A1.5', 'Gt with two values', requirement({ operator: 'Gt', values: ['1', '2'] }), `${TEMPLATE}.requirements`, 'Gt'],
  [
    'A1.5',
    'a requirement of a host',
    requirement({ key: 'kubernetes.io/hostname' }),
    'requirements[0].key',
    'hostname',
  ],
  ['A1.5', 'no requirements at all', aNodePool({}, { requirements: undefined }), `${TEMPLATE}.requirements`],
  ['A1.6', 'more minValues than values', requirement({ minValues: 2 }), `${TEMPLATE}.requirements`, 'minValues'],
  ['A1.6', 'minValues above 50', requirement({ operator: 'Exists', values: [], minValues: 51 }), '[0].minValues', '50'],
  ['A1.7', 'a taint of no known effect', aNodePool({}, { taints: [{ key: 'a', effect: 'No' }] }), 'taints[0].effect'],
  [
    'A1.7',
    'a taint without a key',
    aNodePool({}, { startupTaints: [{ key: '', effect: 'NoSchedule' }] }),
    'startupTaints[0].key',
  ],
  [
    'A1.8',
    'a node class without a name',
    aNodePool({}, { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: '' } }),
    `${TEMPLATE}.nodeClassRef.name`,
  ],
  ['A1.9', 'an expiry in days', aNodePool({}, { expireAfter: '30d' }), `${TEMPLATE}.expireAfter`],
  ['A1.10', 'a grace period without end', aNodePool({}, { terminationGracePeriod: 'Never' }), 'terminationGracePeriod'],
  [
    'A1.12',
    'a bare number of seconds',
    aNodePool({ disruption: { consolidateAfter: '30' } }),
    'disruption.consolidateAfter',
  ],
  [
    'A1.13',
    'the consolidation policy of v1beta1',
    aNodePool({ disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenUnderutilized' } }),
    'spec.disruption.consolidationPolicy',
    'WhenEmptyOrUnderutilized',
  ],
  ['A1.14', 'a schedule without a duration', budget({ schedule: '@daily' }), 'disruption.budgets', 'duration'],
  ['A1.15', 'a budget above 100 %', budget({ nodes: '101%' }), 'disruption.budgets[0].nodes'],
  ['A1.16', 'a reason of no known name', budget({ reasons: ['Expired'] }), 'disruption.budgets[0].reasons[0]'],
  ['A1.17', 'a schedule of four fields', budget({ schedule: '0 9 * *', duration: '1h' }), 'budgets[0].schedule'],
  ['A1.18', 'a budget of seconds', budget({ schedule: '@daily', duration: '90s' }), 'budgets[0].duration'],
  ['A1.19', 'a limit that is not a quantity', aNodePool({ limits: { cpu: 'lots' } }), 'spec.limits.cpu'],
  ['A1.20', 'no weight', aNodePool({ weight: 0 }), 'spec.weight'],
  ['A1.21', 'a static pool with a weight', aNodePool({ replicas: 1, weight: 5 }), 'spec', 'weight'],
  ['A1.21', 'a static pool with limits of cpu', aNodePool({ replicas: 1, limits: { cpu: '10' } }), 'limits.nodes'],
  ['A2.1', 'no node class', aNodeClaim({ nodeClassRef: undefined }), 'spec.nodeClassRef'],
  ['A2.1', 'an expiry in days', aNodeClaim({ expireAfter: '1d' }), 'spec.expireAfter'],
  ['A3.2', 'no subnets', aNodeClass({ subnetSelectorTerms: [] }), 'spec.subnetSelectorTerms'],
  [
    'A3.2',
    'a tag without a value',
    aNodeClass({ subnetSelectorTerms: [{ tags: { a: '' } }] }),
    'subnetSelectorTerms[0].tags',
  ],
  [
    'A3.3',
    'a security group by id and by name',
    aNodeClass({ securityGroupSelectorTerms: [{ id: 'sg-1', name: 'nodes' }] }),
    'spec.securityGroupSelectorTerms',
  ],
  [
    'A3.4',
    'two aliases',
    aNodeClass({ amiSelectorTerms: [{ alias: 'al2023@latest' }, { alias: 'al2023@v20260101' }] }),
    'spec.amiSelectorTerms',
    'alias',
  ],
  [
    'A3.5',
    'an alias of no known family',
    aNodeClass({ amiSelectorTerms: [{ alias: 'ubuntu@latest' }] }),
    '[0].alias',
    'al2023',
  ],
  [
    'A3.5',
    'a version of Windows',
    aNodeClass({ amiSelectorTerms: [{ alias: 'windows2022@v1' }] }),
    '[0].alias',
    'latest',
  ],
  ['A3.6', 'an image by id without a family', aNodeClass({ amiSelectorTerms: [{ id: 'ami-1' }] }), 'spec', 'amiFamily'],
  ['A3.6', "another family than the alias's", aNodeClass({ amiFamily: 'Bottlerocket' }), 'spec', 'amiFamily', 'AL2023'],
  [
    'A3.9',
    'a placement group by name and by id',
    aNodeClass({ placementGroupSelector: { name: 'a', id: 'pg-1' } }),
    'spec.placementGroupSelector',
  ],
  [
    'A3.10',
    'a role and an instance profile',
    aNodeClass({ instanceProfile: 'nodes' }),
    'spec',
    'role',
    'instanceProfile',
  ],
  ['A3.10', 'neither role nor instance profile', aNodeClass({ role: undefined }), 'spec', 'role', 'instanceProfile'],
  [
    'A3.12',
    'network interfaces without a primary one',
    aNodeClass({ networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 1, interfaceType: 'interface' }] }),
    'spec.networkInterfaces',
  ],
  ['A3.14', 'a tag that is ours', aNodeClass({ tags: { 'karpenter.sh/nodepool': 'a' } }), 'spec.tags'],
  [
    'A3.19',
    'a volume of no known type',
    volumes({ volumeSize: '20Gi', volumeType: 'gp4' }),
    '[0].ebs.volumeType',
    'gp3',
  ],
  [
    'A3.19',
    'a volume without size or snapshot',
    volumes({ encrypted: true }),
    'blockDeviceMappings[0].ebs',
    'volumeSize',
  ],
  [
    'A3.19',
    'two root volumes',
    volumes({ volumeSize: '20Gi' }, { volumeSize: '20Gi' }),
    'blockDeviceMappings',
    'rootVolume',
  ],
  [
    'A3.23',
    'too many hops',
    aNodeClass({ metadataOptions: { httpPutResponseHopLimit: 65 } }),
    'httpPutResponseHopLimit',
    '64',
  ],
  ['A3.24', 'connection tracking of nothing', aNodeClass({ connectionTracking: {} }), 'spec.connectionTracking'],
  [
    'A4.2',
    'NotIn without values',
    aNodeOverlay({ requirements: [{ key: 'a', operator: 'NotIn', values: [] }] }),
    'requirements',
    'NotIn',
  ],
  [
    'A4.3',
    'a price and an adjustment',
    aNodeOverlay({ price: '1', priceAdjustment: '+1' }),
    'spec',
    'price',
    'priceAdjustment',
  ],
  ['A4.3', 'an adjustment without a sign', aNodeOverlay({ priceAdjustment: '10%' }), 'spec.priceAdjustment'],
  ['A4.4', 'capacity that every node has', aNodeOverlay({ capacity: { cpu: '1' } }), 'spec.capacity'],
  ['A4.5', 'a weight above 10000', aNodeOverlay({ weight: 10_001 }), 'spec.weight', '10000'],
  [
    'A5.2',
    'a template without a number',
    aCapacityBuffer({ podTemplateRef: { name: 'a' } }),
    'spec',
    'replicas',
    'limits',
  ],
  [
    'A5.2',
    'a template and a workload',
    aCapacityBuffer({
      replicas: 1,
      podTemplateRef: { name: 'a' },
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
    }),
    'spec',
    'scalableRef',
  ],
  [
    'A5.2',
    'fewer replicas than none',
    aCapacityBuffer({ podTemplateRef: { name: 'a' }, replicas: -1 }),
    'spec.replicas',
  ],
];

export const REFUSED: readonly Refused[] = ROWS.map(([row, why, object, ...says]) => ({
  row,
  why,
  object,
  says,
  kind: object.kind,
}));
