/** A cluster's configuration: each field is accepted as documented, or refused with an error that has the allowed values. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { type ClusterOptions, parseCluster, writeClusters } from '../../../lib/operator/options/cluster-options.ts';
import { refreshOf, settingsOf } from '../../../lib/operator/options/cluster-settings.ts';
import { OptionError } from '../../../lib/operator/options/option-values.ts';

/** A value for each field that functions get, none of them the default. */
const TOLD: Required<
  Omit<ClusterOptions, 'nodeRole' | 'windowsNodeRole' | 'makeNodeRole' | 'accessEntries' | 'onDelete' | 'network'>
> = {
  name: 'demo',
  endpoint: 'https://demo.example',
  certificateAuthority: 'Q0E=',
  serviceCidr: '10.100.0.0/16',
  kubernetesVersion: '1.35',
  zonalShift: true,
  install: false,
  dryRunChecks: false,
  isolatedVpc: true,
  webhookUrl: 'https://hooks.example/kerf/',
  webhookCertificateAuthority: 'Q0E=',
  shadow: true,
  batchIdleDuration: '2s',
  batchMaxDuration: '30s',
  preferencePolicy: 'Ignore',
  preferencePriceFactor: 2,
  minValuesPolicy: 'BestEffort',
  fleetConsolidation: false,
  lowScoreWaits: true,
  softTaints: false,
  nominatePods: false,
  featureGates: {
    nodeOverlay: false,
    capacityBuffer: false,
    reservedCapacity: false,
    nodeRepair: true,
    spotToSpotConsolidation: true,
    staticCapacity: true,
  },
  repairAfter: { 'Ready=Unknown': '10m', 'KernelDeadlock=True': '1m' },
  initializationTimeout: '20m',
  logLevel: 'debug',
  vmMemoryOverheadPercent: 0.05,
  reservedEnis: 1,
  amiRefreshInterval: '10m',
  subnetRefreshInterval: '2m',
  karpenterNamespaces: ['platform'],
  ignoreAtZero: [{ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }, { labels: { tier: 'addon' } }],
  decisionSnapshots: 'sampled',
  metrics: true,
  usageLabels: ['team', 'app.kubernetes.io/name'],
};

const UNTOLD: Partial<ClusterOptions> = {
  nodeRole: 'nodes',
  windowsNodeRole: 'windows',
  makeNodeRole: true,
  accessEntries: false,
  onDelete: 'drain',
  network: { vpcId: 'vpc-11111111', subnetIds: ['subnet-11111111'], securityGroupIds: ['sg-11111111'] },
};

test('every field is read as it was written', () => {
  expect(parseCluster({ ...TOLD, ...UNTOLD }, 'clusters[0]')).toEqual({ ...TOLD, ...UNTOLD });
});

test('every field has one row in docs/settings.md', () => {
  const rows = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8').split('\n');
  const fields = rows.filter((row) => row.startsWith('| `')).map((row) => row.split('|')[1] ?? '');
  const rowsOf = (key: string): number => fields.filter((field) => new RegExp(`\`${key}[.\`]`).test(field)).length;
  for (const key of Object.keys({ ...TOLD, ...UNTOLD })) expect([key, rowsOf(key)]).toEqual([key, 1]);
});

test('functions get all fields except those that only the stack uses, and parse them', () => {
  const written: unknown = JSON.parse(writeClusters([{ ...TOLD, ...UNTOLD }]));
  const { name: _, ...rest } = TOLD;
  expect(written).toEqual({ demo: rest });
  expect(parseCluster({ ...rest, name: 'demo' }, 'CLUSTERS.demo')).toEqual(TOLD);
});

describe('an invalid field is refused with its name, its value and the allowed values', () => {
  test.each<readonly [keyof ClusterOptions | 'other', unknown, string]>([
    ['other', 1, 'other is not a known field: the fields are name, endpoint'],
    ['name', '-a', 'must be the name of an EKS cluster'],
    ['endpoint', 'http://demo.example', 'must begin with https://'],
    ['certificateAuthority', '-----BEGIN CERTIFICATE-----', 'must be a certificate as EKS returns it: PEM in base64'],
    ['certificateAuthority', '', 'PEM in base64'],
    ['serviceCidr', 7, 'must be a network such as 10.100.0.0/16'],
    ['serviceCidr', '10.100.0.0', 'must be a network such as 10.100.0.0/16'],
    ['kubernetesVersion', 1.35, 'must be a version as text, such as "1.35"'],
    ['kubernetesVersion', 'v1.35.2', 'must be a version as text, such as "1.35"'],
    ['nodeRole', 'arn:aws:iam::123456789012:role/nodes', 'must be the name of an IAM role, not its ARN'],
    ['windowsNodeRole', '', 'must be the name of an IAM role, not its ARN'],
    ['install', 'no', 'must be true or false'],
    ['onDelete', 'terminate', 'must be one of keep, drain'],
    ['network', { vpcId: 'vpc-11111111' }, 'must have vpcId, subnetIds and securityGroupIds'],
    ['network', { vpcId: 'vpc-11111111', subnetIds: [], securityGroupIds: ['sg-11111111'] }, 'network.subnetIds is []'],
    ['network', { vpcId: 'net-1' }, 'network.vpcId is "net-1": it must be an id such as vpc-0123456789abcdef0'],
    ['network', { vpcId: 'vpc-1', zone: 'a' }, 'network.zone is not a known field'],
    ['webhookUrl', 'http://hooks.example/', 'must be an address like https://hooks.example.com/'],
    ['webhookUrl', 'https://hooks.example/a?b=c', 'without user, query or fragment'],
    ['webhookCertificateAuthority', '/etc/ca.pem', 'PEM in base64'],
    ['webhookUrl', 'https://hooks.example/a', 'with a / at its end'],
    ['batchIdleDuration', '1', 'must be a duration such as 10s, from 0s to 5m'],
    ['batchMaxDuration', '6m', 'from 0s to 5m'],
    ['preferencePolicy', 'respect', 'must be one of Respect, Ignore'],
    ['preferencePriceFactor', 0.5, 'must be a number from 1 to 100'],
    ['minValuesPolicy', 'None', 'must be one of Strict, BestEffort'],
    ['featureGates', { dynamicResources: true }, 'featureGates.dynamicResources is not a known field'],
    ['featureGates', { nodeOverlay: 'true' }, 'featureGates.nodeOverlay is "true": it must be true or false'],
    ['initializationTimeout', '1m', 'must be a duration such as 10s, from 5m to 24h'],
    ['logLevel', 'trace', 'must be one of debug, info, warn, error'],
    ['vmMemoryOverheadPercent', 7.5, 'must be a number from 0 to 0.5'],
    ['reservedEnis', 1.5, 'must be a whole number from 0 to 15'],
    ['amiRefreshInterval', '30s', 'from 1m to 24h'],
    ['usageLabels', 'team', 'must be a list of at most 5 keys of labels, such as ["team"]'],
    ['usageLabels', ['a', 'b', 'c', 'd', 'e', 'f'], 'must be a list of at most 5 keys'],
    ['usageLabels', ['-team'], 'usageLabels is ["-team"]'],
    ['karpenterNamespaces', [], 'must be a list of at least one namespace, such as ["kube-system","karpenter"]'],
    ['karpenterNamespaces', ['Team_A'], 'karpenterNamespaces is ["Team_A"]'],
    ['ignoreAtZero', 'kube-system', 'must be a list such as [{"namespace":"kube-system"}]'],
    ['ignoreAtZero', [{}], 'ignoreAtZero[0] is {}: it must name a namespace, labels, or both'],
    ['repairAfter', '10m', 'repairAfter is "10m": it must be an object such as {"Ready=Unknown":"10m"}'],
    [
      'repairAfter',
      { Ready: '10m' },
      'repairAfter.Ready is not a condition: write TYPE=STATUS with the status True, F',
    ],
    ['repairAfter', { 'Ready=False': '10s' }, 'repairAfter.Ready=False is "10s": it must be a duration such as 10s, f'],
    ['ignoreAtZero', [{ labels: { a: 1 } }], 'ignoreAtZero[0].labels.a is 1: it must be a string'],
  ])('%s: %j', (key, value, message) => {
    const parse = () => parseCluster({ name: 'demo', [key]: value }, 'clusters[0]');
    expect(parse).toThrow(OptionError);
    expect(parse).toThrow(message);
    expect(parse).toThrow('clusters[0].');
  });
});

test('a missing field has its default', () => {
  expect(settingsOf({ name: 'demo' })).toEqual(DEFAULT_SETTINGS);
  expect(refreshOf({ name: 'demo' }, { launches: true })).toEqual({ imagesMs: undefined, subnetsMs: undefined });
});

test('controllers use the configured values (F17, F18, F20)', () => {
  expect(settingsOf(TOLD)).toEqual({
    batchIdleMs: 2_000,
    batchMaxMs: 30_000,
    preferencePolicy: 'Ignore',
    preferencePriceFactor: 2,
    minValuesPolicy: 'BestEffort',
    fleetConsolidation: false,
    lowScoreWaits: true,
    softTaints: false,
    nominatePods: false,
    featureGates: {
      nodeOverlay: false,
      capacityBuffer: false,
      reservedCapacity: false,
      nodeRepair: true,
      spotToSpotConsolidation: true,
      staticCapacity: true,
    },
    repairAfterMs: { 'Ready=Unknown': 600_000, 'KernelDeadlock=True': 60_000 },
    initializationTimeoutMs: 1_200_000,
    memoryOverhead: 0.05,
    reservedEnis: 1,
    ignoreAtZero: TOLD.ignoreAtZero,
    shadow: true,
    decisionSnapshots: 'sampled',
    usageLabels: ['team', 'app.kubernetes.io/name'],
  });
  expect(refreshOf(TOLD, { launches: true })).toEqual({ imagesMs: 600_000, subnetsMs: 120_000 });
});

test('a function that launches nothing reads subnets, security groups and reservations every five minutes', () => {
  const slow = { securityGroupsMs: 300_000, reservationsMs: 300_000 };
  expect(refreshOf({ name: 'demo' }, { launches: false })).toEqual({
    imagesMs: undefined,
    subnetsMs: 300_000,
    ...slow,
  });
  expect(refreshOf({ name: 'demo', subnetRefreshInterval: '10m' }, { launches: false })).toMatchObject({
    subnetsMs: 600_000,
  });
});
