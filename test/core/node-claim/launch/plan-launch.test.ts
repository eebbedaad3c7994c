import { describe, expect, test } from 'vitest';
import type { Labels } from '../../../../lib/apis/kubernetes.ts';
import type {
  LaunchOption,
  LaunchRequest,
  LaunchType,
  NodeClaimRecord,
} from '../../../../lib/core/model/node-claim-record.ts';
import { type LaunchContext, planLaunch } from '../../../../lib/core/node-claim/launch/launch.ts';
import { nodeClassHash } from '../../../../lib/core/node-class/node-class-hash.ts';
import { anImage, aReservation, launchContext } from '../../../builders/launch-context.ts';
import { aClaim, claimSpec } from '../../../builders/node-claims.ts';
import { aNodeClass, asking } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';

const OPTION = {
  instanceType: 'm5.large',
  zone: 'eu-west-3a',
  capacityType: 'on-demand',
  priceUsdPerHour: 0.1,
} as const;
const EFA = claimSpec({ resources: { requests: { 'vpc.amazonaws.com/efa': '1' } } });

function aType(name: string, over: Partial<LaunchType> = {}): LaunchType {
  return { name, architecture: 'amd64', capacity: { pods: 29 }, allocatable: { pods: 29 }, ...over };
}

/** A claim that allows all of these types in both zones; the first is the cheapest. */
function claimOf(types: readonly LaunchType[], over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const options = types.flatMap(({ name }, at) =>
    ['eu-west-3a', 'eu-west-3b'].map((zone) => ({ ...OPTION, instanceType: name, zone, priceUsdPerHour: 0.1 + at })),
  );
  return aClaim({ types, options, ...over });
}

function plan(record: NodeClaimRecord, context: LaunchContext = launchContext()): LaunchRequest {
  const planned = planLaunch(record, context);
  if (planned.kind !== 'launch') throw new Error(planned.message);
  return planned.request;
}

const withClass = (...spec: Parameters<typeof aNodeClass>): LaunchContext =>
  launchContext({ nodeClass: aNodeClass(...spec) });
const resolvedAs = (over: Partial<LaunchContext['resolved']>): LaunchContext =>
  launchContext({ resolved: { ...launchContext().resolved, ...over } });

const image = (id: string, arch: string) => anImage({ id, requirements: [asking('kubernetes.io/arch', 'In', arch)] });

describe('the templates of a request (C56)', () => {
  test('types with equal settings share one, in all zones', () => {
    const request = plan(claimOf([aType('m5.large'), aType('m5.xlarge')]));
    expect(request.templates).toHaveLength(1);
    expect(request.overrides.map(({ instanceType, template }) => [instanceType, template])).toEqual([
      ['m5.large', 0],
      ['m5.large', 0],
      ['m5.xlarge', 0],
      ['m5.xlarge', 0],
    ]);
  });

  test('a type has the image for its own architecture and devices, in the override', () => {
    const images = [image('ami-amd64', 'amd64'), image('ami-arm64', 'arm64')];
    const request = plan(
      claimOf([aType('m5.large'), aType('m6g.large', { architecture: 'arm64' })]),
      resolvedAs({ images }),
    );
    expect(request.templates).toHaveLength(1);
    expect([...new Set(request.overrides.map(({ imageId }) => imageId))]).toEqual(['ami-amd64', 'ami-arm64']);
  });

  test('several interfaces contain their subnet, so each zone has its own template', () => {
    const request = plan(claimOf([aType('p5.48xlarge', { efaInterfacesByCard: [1, 1] })], { spec: EFA }));
    expect(request.templates.map(({ subnetId, networkInterfaces }) => [subnetId, networkInterfaces.length])).toEqual([
      ['subnet-a', 2],
      ['subnet-b', 2],
    ]);
    expect(request.overrides.map(({ zone, template }) => [zone, template])).toEqual([
      ['eu-west-3a', 0],
      ['eu-west-3b', 1],
    ]);
  });

  test('a claim that requests EFA gets one interface for each card; others get one interface', () => {
    const types = [
      aType('c5n.18xlarge', { efaInterfacesByCard: [1] }),
      aType('p4d.24xlarge', { efaInterfacesByCard: [1, 1] }),
    ];
    const kinds = (record: NodeClaimRecord) =>
      plan(record).templates.map(({ networkInterfaces }) => networkInterfaces.map(({ kind }) => kind).join('+'));
    expect(new Set(kinds(claimOf(types, { spec: EFA })))).toEqual(new Set(['efa', 'efa+efa']));
    expect(kinds(claimOf(types))).toEqual(['interface']);
  });

  test('at most fifty; the most expensive types are left out', () => {
    const types = Array.from({ length: 30 }, (_, at) =>
      aType(`t${at}.large`, { efaInterfacesByCard: Array.from({ length: at + 2 }, () => 1) }),
    );
    const request = plan(claimOf(types, { spec: EFA }));
    expect(request.templates).toHaveLength(50);
    expect(request.overrides.at(-1)).toMatchObject({ instanceType: 't24.large', template: 49 });
  });

  test('contain the settings of the NodeClass and the claim (C58)', () => {
    const context = launchContext({
      nodeClass: aNodeClass({
        detailedMonitoring: true,
        cpuOptions: { nestedVirtualization: 'enabled' },
        enclaveOptions: { enabled: true },
        associatePublicIPAddress: false,
      }),
      resolved: {
        ...launchContext().resolved,
        placementGroup: { id: 'pg-1', name: 'near', strategy: 'partition', partitions: 7 },
        bootstrap: { ...launchContext().resolved.bootstrap, serviceCidr: 'fd12:3456::/108' },
      },
    });
    const requirements = [
      asking('karpenter.k8s.aws/instance-tenancy', 'In', 'dedicated'),
      asking('karpenter.k8s.aws/placement-group-partition', 'In', '3'),
    ];
    expect(plan(aClaim({ spec: claimSpec({ requirements }) }), context).templates[0]).toMatchObject({
      detailedMonitoring: true,
      nestedVirtualization: 'enabled',
      enclaves: true,
      dedicated: true,
      placementGroup: { id: 'pg-1', partition: 3 },
      networkInterfaces: [{ kind: 'interface', publicAddress: false, ipv6: true }],
      securityGroupIds: ['sg-1'],
    });
    const [plain] = plan(aClaim()).templates;
    for (const key of [
      'detailedMonitoring',
      'nestedVirtualization',
      'enclaves',
      'dedicated',
      'placementGroup',
      'reservation',
    ]) {
      expect(plain).not.toHaveProperty(key);
    }
  });

  test.each([
    ['shared if both are allowed', [asking('karpenter.k8s.aws/instance-tenancy', 'In', 'default', 'dedicated')], false],
    ['dedicated if only dedicated is allowed', [asking('karpenter.k8s.aws/instance-tenancy', 'In', 'dedicated')], true],
    ['dedicated if default is excluded', [asking('karpenter.k8s.aws/instance-tenancy', 'NotIn', 'default')], true],
  ])('tenancy is %s: %#', (_, requirements, dedicated) => {
    expect(plan(aClaim({ spec: claimSpec({ requirements }) })).templates[0]?.dedicated === true).toBe(dedicated);
  });

  test('a claim that requests the resource of enclaves gets them (C58)', () => {
    const ofPods = aClaim({ spec: claimSpec({ resources: { requests: { 'eks.amazonaws.com/nitro-sandbox': '1' } } }) });
    expect(plan(ofPods).templates[0]?.enclaves).toBe(true);
    const disabled = withClass({ enclaveOptions: { enabled: false } });
    expect(planLaunch(ofPods, disabled)).toMatchObject({ kind: 'unsupported' });
    expect(plan(aClaim(), disabled).templates[0]).not.toHaveProperty('enclaves');
  });

  test('a claim that requires a type with the label of enclaves does not get them (C58)', () => {
    const requirements = [asking('karpenter.k8s.aws/nitro-sandbox', 'In', 'true')];
    expect(plan(aClaim({ spec: claimSpec({ requirements }) })).templates[0]).not.toHaveProperty('enclaves');
  });
});

test.each([
  ['AL2023', ['/dev/xvda 20Gi']],
  ['Bottlerocket', ['/dev/xvda 4Gi', '/dev/xvdb 20Gi']],
  ['Windows2022', ['/dev/sda1 50Gi']],
  ['Custom', []],
] as const)(
  'without block devices, also in an empty list, an instance has the volumes of %s (C76)',
  (amiFamily, volumes) => {
    for (const spec of [{ amiFamily }, { amiFamily, blockDeviceMappings: [] }]) {
      const { blockDeviceMappings = [] } = plan(claimOf([aType('m5.large')]), withClass(spec)).templates[0] ?? {};
      expect(blockDeviceMappings.map(({ deviceName, ebs }) => `${deviceName} ${ebs?.volumeSize}`)).toEqual(volumes);
      expect(blockDeviceMappings.every(({ ebs }) => ebs?.['encrypted'] === true)).toBe(true);
    }
  },
);

describe('the lines of a request', () => {
  test('at most 200: the most expensive are left out, but no zone', () => {
    const cheap = Array.from({ length: 210 }, (_, at) => ({ ...OPTION, instanceType: `t${at}`, priceUsdPerHour: at }));
    const far = { ...OPTION, instanceType: 't0', zone: 'eu-west-3b', priceUsdPerHour: 999 };
    const types = cheap.map(({ instanceType }) => aType(instanceType));
    const { overrides } = plan(aClaim({ options: [...cheap, far], types }));
    expect(overrides).toHaveLength(200);
    expect(overrides.at(-1)).toMatchObject({ zone: 'eu-west-3b', instanceType: 't0' });
    expect(overrides.at(-2)).toMatchObject({ instanceType: 't198' });
  });

  test('at most 200, but as many types as the claim has: minValues may need all of them (C42)', () => {
    const zones = ['a', 'b', 'c', 'd', 'e', 'f'];
    const names = Array.from({ length: 40 }, (_, at) => `t${at}`);
    const options = names.flatMap((instanceType, at) =>
      zones.map((zone): LaunchOption => ({ ...OPTION, instanceType, zone, priceUsdPerHour: at })),
    );
    const subnets = zones.map((zone) => ({ id: `subnet-${zone}`, zone, zoneId: zone, freeAddresses: 50 }));
    const { overrides } = plan(aClaim({ options, types: names.map((name) => aType(name)) }), resolvedAs({ subnets }));
    const linesOf = (name: string) => overrides.filter(({ instanceType }) => instanceType === name).length;
    expect(overrides).toHaveLength(200);
    expect(names.map(linesOf)).toEqual(names.map((_, at) => (at < 32 ? 6 : 1)));
  });

  test('the context of the NodeClass is passed to EC2, except if minValues were relaxed (C48)', () => {
    const context = withClass({ context: 'abc' });
    expect(plan(aClaim(), context).context).toBe('abc');
    const relaxed = aClaim({ annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' } });
    expect(plan(relaxed, context)).not.toHaveProperty('context');
  });

  test('a launch in progress moves the next one to another subnet of the zone (C45)', () => {
    const subnets = ['subnet-a', 'subnet-a2'].map((id) => ({
      id,
      zone: 'eu-west-3a',
      zoneId: 'id',
      freeAddresses: 50,
    }));
    const context = resolvedAs({ subnets });
    expect(plan(aClaim(), context).overrides[0]?.subnetId).toBe('subnet-a');
    const busy = { ...context, inFlight: new Map([['subnet-a', 29]]) };
    expect(plan(aClaim(), busy).overrides[0]?.subnetId).toBe('subnet-a2');
  });

  test('a fallback from spot to few on-demand types gives a warning (C44)', () => {
    const spot: LaunchOption = { ...OPTION, capacityType: 'spot' };
    const gone = { ...spot, untilMs: NOW_MS, reason: '' };
    const warned = planLaunch(aClaim({ options: [spot, OPTION] }), launchContext({ unavailable: [gone] }));
    expect(warned).toMatchObject({ warning: expect.stringContaining('only 1 instance types') });
    expect(planLaunch(aClaim(), launchContext())).not.toHaveProperty('warning');
  });
});

test('C60: the request keeps whether its instances may use open reservations', () => {
  const templatesWith = (over: Partial<LaunchContext>) =>
    plan(aClaim({ options: [OPTION] }), launchContext(over)).templates;
  expect(templatesWith({ openReservations: true })).toMatchObject([{ openReservations: true }]);
  expect(templatesWith({})[0]).not.toHaveProperty('openReservations');
});

test('a zone that refused across families is left out for types as large as the refused ones (C35)', () => {
  const spot: LaunchOption = { ...OPTION, capacityType: 'spot' };
  const { zone, capacityType } = spot;
  const mark = { instanceType: '*', zone, capacityType, untilMs: NOW_MS, reason: 'RefusedAcrossFamilies' };
  const capacityTypeFor = (minVcpus: number) => {
    const unavailable = [{ ...mark, minVcpus }];
    return plan(aClaim({ options: [spot, OPTION] }), launchContext({ unavailable })).overrides[0]?.capacityType;
  };
  expect([capacityTypeFor(2), capacityTypeFor(4)]).toEqual(['on-demand', 'spot']);
});

test('offerings that lack capacity in another placement are part of the request (C32)', () => {
  const gone = { ...OPTION, untilMs: NOW_MS, reason: '' };
  const kindWith = (where: Partial<LaunchContext['unavailable'][number]>, record = aClaim({ options: [OPTION] })) =>
    planLaunch(record, launchContext({ unavailable: [{ ...gone, ...where }] })).kind;
  expect(kindWith({ placementGroupId: 'pg-1' })).toBe('launch');
  expect(kindWith({})).toBe('no-capacity');
  const dedicated = [{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In' as const, values: ['dedicated'] }];
  const record = aClaim({ options: [OPTION], spec: claimSpec({ requirements: dedicated }) });
  expect(kindWith({ tenancy: 'dedicated' })).toBe('launch');
  expect(kindWith({ tenancy: 'dedicated' }, record)).toBe('no-capacity');
});

test('what EC2 does not support of a NodeClass is left out of its launches, and of no others (C33)', () => {
  const mark = { ...OPTION, untilMs: NOW_MS, reason: 'Unsupported' };
  const planWith = (nodeClass: string) =>
    planLaunch(aClaim({ options: [OPTION] }), launchContext({ unavailable: [{ ...mark, nodeClass }] }));
  expect(planWith('demo/gpu').kind).toBe('launch');
  expect(planWith('prod/default').kind).toBe('launch');
  expect(planWith('demo/default')).toMatchObject({
    kind: 'no-capacity',
    message: expect.stringContaining(
      '1 are marked as unavailable, 1 only for EC2NodeClass default, whose configuration EC2 does not support with these types',
    ),
  });
});

test('a claim whose types have no image says so (C65)', () => {
  const images = [image('ami-arm64', 'arm64')];
  expect(planLaunch(aClaim({ options: [OPTION] }), launchContext(resolvedAs({ images })))).toMatchObject({
    kind: 'no-capacity',
    message: expect.stringContaining('none of 1 offerings has capacity: 0 are marked as unavailable, 1 have no image'),
  });
});

describe('reserved capacity (C30, C31, C38)', () => {
  const out = (reservationId: string, zone = 'eu-west-3a'): LaunchOption => ({
    ...OPTION,
    zone,
    capacityType: 'reserved',
    priceUsdPerHour: 1e-8,
    reservationId,
  });
  const reservations = (...all: Parameters<typeof aReservation>[0][]) =>
    resolvedAs({ capacityReservations: all.map((over) => aReservation(over)) });

  test('each reservation has its own template, which names it', () => {
    const context = reservations({}, { id: 'cr-2', zone: 'eu-west-3b' });
    const request = plan(aClaim({ options: [out('cr-1'), out('cr-2', 'eu-west-3b')] }), context);
    expect(request).toMatchObject({
      capacityType: 'reserved',
      overrides: [
        { reservationId: 'cr-1', template: 0 },
        { reservationId: 'cr-2', template: 1 },
      ],
      templates: [{ reservation: { id: 'cr-1', kind: 'default' } }, { reservation: { id: 'cr-2', kind: 'default' } }],
    });
  });

  test.each([
    ['expires', { state: 'expiring' }],
    ['has no available instances', { availableInstances: 0 }],
    ['is no longer selected', { id: 'cr-9' }],
  ] as const)('if the reservation %s, the next capacity type is used', (_, over) => {
    expect(plan(aClaim({ options: [out('cr-1'), OPTION] }), reservations(over)).capacityType).toBe('on-demand');
  });

  test('one that EC2 reported as exhausted is left out, and the others are used (C34)', () => {
    const unavailable = [{ ...out('cr-1'), untilMs: NOW_MS, reason: 'ReservationCapacityExceeded' }];
    const context = { ...reservations({ availableInstances: 9 }, { id: 'cr-2' }), unavailable };
    expect(plan(aClaim({ options: [out('cr-1'), out('cr-2'), OPTION] }), context).overrides).toMatchObject([
      { reservationId: 'cr-2' },
    ]);
    const nothing = { ...context, resolved: { ...context.resolved, capacityReservations: [aReservation()] } };
    expect(plan(aClaim({ options: [out('cr-1'), OPTION] }), nothing).capacityType).toBe('on-demand');
  });
});

test.each<[string, Labels]>([
  ['without the hash, as that of a new cluster', {}],
  ['with that of a former spec', { 'karpenter.k8s.aws/ec2nodeclass-hash': 'former' }],
])(
  'the claim records the NodeClass hash and the instance profile of its launch, also for a class %s (C54)',
  (_, annotations) => {
    const nodeClass = { ...aNodeClass(), metadata: { name: 'default', annotations } };
    const context = launchContext({ nodeClass });
    expect(planLaunch(aClaim(), context)).toMatchObject({
      annotations: {
        ...nodeClassHash(nodeClass, context.resolved.bootstrap.certificateAuthority),
        'karpenter.k8s.aws/instance-profile-name': 'node',
      },
    });
  },
);
