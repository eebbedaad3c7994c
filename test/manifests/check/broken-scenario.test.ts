import { type Case, expectProblems } from './expect-problems.ts';
import { DEPLOYMENT, edit, join, NODE_CLASS, NODE_POOL, SCENARIO } from './texts.ts';

const scenario = (from: string, to: string): string =>
  join(edit(SCENARIO, from, to), DEPLOYMENT, NODE_POOL, NODE_CLASS);

/** Cases of the last event: its text, the field below it, and the message. */
function faults(cases: readonly (readonly [text: string, field: string, message: string])[]): readonly Case[] {
  return cases.map(([text, field, message]) => [
    scenario('deletePod: {pod: shop/web-1}', text),
    19,
    `spec.events[4].${field}`,
    message,
  ]);
}

const SCENARIOS: readonly Case[] = [
  [scenario('at: 30m', 'at: 30'), 10, 'spec.events[0].at', '30 is a number'],
  [scenario('at: 30m', 'at: half past'), 10, 'spec.events[0].at', 'a duration such as 90s'],
  [
    scenario('at: 30m', 'at: 99999999h'),
    10,
    'spec.events[0].at',
    '"99999999h" is not allowed; write at most 2562047h: a duration such as 90s',
  ],
  [scenario('at: 30m', 'at: 3h'), 10, 'spec.events[0].at', 'after the end of the simulation'],
  [scenario('    - at: 30m\n      scale', '    - scale'), 10, 'spec.events[0].at', 'is missing'],
  [
    scenario('deployment: web', 'deployment: wbe'),
    11,
    'spec.events[0].scale.deployment',
    'no file has a Deployment "default/wbe"; did you mean default/web?',
  ],
  [scenario('replicas: 10', 'replicas: 1.5'), 11, 'spec.events[0].scale.replicas', 'not whole'],
  [scenario('replicas: 10', 'replicas: 20001'), 11, 'spec.events[0].scale.replicas', '20000'],
  [
    scenario('nodePool: default', 'nodePool: other'),
    13,
    'spec.events[1].interruptSpot.nodePool',
    'no file has a NodePool "other"',
  ],
  [scenario('nodePool: default', 'count: 0'), 13, 'spec.events[1].interruptSpot.count', '0 is too small'],
  [
    scenario('any: true', 'any: true, name: x'),
    15,
    'spec.events[2].deleteNode.any',
    'cannot be set together with name',
  ],
  [scenario('deployment: web, ', ''), 11, 'spec.events[0].scale', 'write one of deployment, workload'],
  [
    scenario('deployment: web,', 'deployment: web, workload: StatefulSet/db,'),
    11,
    'spec.events[0].scale.workload',
    'cannot be set together with deployment',
  ],
  [
    scenario('deployment: web', 'workload: DaemonSet/web'),
    11,
    'spec.events[0].scale.workload',
    'write Deployment/NAME, ReplicaSet/NAME or StatefulSet/NAME',
  ],
  [
    scenario('deployment: web', 'workload: StatefulSet/shop/db'),
    11,
    'spec.events[0].scale.workload',
    'no file has a StatefulSet "shop/db"',
  ],
  [scenario('any: true', ''), 15, 'spec.events[2].deleteNode', 'write one of name, nodePool, any'],
  [scenario('[spot]', '[spots]'), 17, 'spec.events[3].withoutCapacity.capacityTypes[0]', 'did you mean spot?'],
  [scenario('      deletePod: {pod: shop/web-1}\n', ''), 18, 'spec.events[4]', 'write one of scale, deleteNode'],
  [scenario('deletePod:', 'killPod:'), 19, 'spec.events[4].killPod', 'does not exist'],
  [scenario('pod: shop/web-1', 'pod: a/b/c'), 19, 'spec.events[4].deletePod.pod', 'namespace/name'],
  [
    scenario('      deletePod:', '      scale: {deployment: web, replicas: 1}\n      deletePod:'),
    20,
    'spec.events[4].deletePod',
    'exactly one of',
  ],
  [
    scenario('{nodePool: default}', '{zones: [us-east-1a]}'),
    13,
    'spec.events[1].interruptSpot.zones[0]',
    '"us-east-1a" is not a zone of eu-west-3 (spec.region); write one of eu-west-3a, eu-west-3b, eu-west-3c',
  ],
  [scenario('{nodePool: default}', '{zone: [a]}'), 13, 'spec.events[1].interruptSpot.zone', 'did you mean zones?'],
  [
    scenario('[m5.large]', '[m5.lagre]'),
    17,
    'spec.events[3].withoutCapacity.instanceTypes[0]',
    '"m5.lagre" is not an instance type with figures; did you mean m5.large?',
  ],
  [
    scenario('deletePod: {pod: shop/web-1}', 'zoneOutage: {zone: eu-west-3d}'),
    19,
    'spec.events[4].zoneOutage.zone',
    '"eu-west-3d" is not a zone of eu-west-3',
  ],
  [scenario('deletePod: {pod: shop/web-1}', 'zoneOutage: {for: 1h}'), 19, 'spec.events[4].zoneOutage.zone', 'missing'],
  ...faults([
    ['throttle: {api: ec3}', 'throttle.api', '"ec3" is not allowed; did you mean ec2?'],
    ['throttle: {api: s3}', 'throttle.api', 'one of ec2, iam, eks, kubernetes, dynamodb, sqs'],
    ['throttle: {api: ec2, percent: 101}', 'throttle.percent', '101 is too large'],
    ['boots: {for: 5m}', 'boots', 'changes nothing; write slowBy, failPercent, or both'],
    ['quota: {vcpus: 5}', 'quota.capacityType', 'is missing; write one of on-demand, spot'],
    ['quota: {capacityType: spot, vcpus: 5, family: m}', 'quota.family', 'one of standard, g, p'],
    ['fault: {kind: call-fail}', 'fault.kind', 'did you mean calls-fail?'],
    ['fault: {kind: calls-fail}', 'fault.calls', 'is missing'],
    ['fault: {kind: restore-table}', 'fault.kind', '"restore-table" is not allowed'],
    ['fault: {kind: webhook-down, percent: 5}', 'fault.percent', 'is not a field of the fault webhook-down'],
    ['fault: {kind: impaired, for: 5m}', 'fault.for', 'is not a field of the fault impaired'],
    [
      'fault: {kind: machines, how: lost}',
      'fault.how',
      '"lost" is not a way of the fault machines; write one of never',
    ],
    [
      'fault: {kind: calls-hang, calls: [store.listClaims]}',
      'fault.calls[0]',
      '"store.listClaims" is not a call of Kerf',
    ],
    [
      'fault: {kind: calls-hang, calls: [cluster.listPod]}',
      'fault.calls[0]',
      '"cluster.listPod" is not a call of Kerf; did you mean cluster.listPods?',
    ],
    ['fault: {kind: machines, how: never-join, zones: [eu-west-3z]}', 'fault.zones[0]', 'is not a zone of eu-west-3'],
  ]),
  [scenario('seed: 7', 'seed: -7'), 6, 'spec.seed', '-7 is too small'],
];

/** Cases of a Scenario with a load, spot interruptions and a trace; the line, the field, and the message. */
const RANDOM = `apiVersion: kerf.dev/v1alpha1
kind: Scenario
metadata:
  name: random
spec:
  loads:
    - name: batch
      cpu: 500m
      arrivals: {poisson: {perHour: 12}}
      lifetime: {exponential: 10m}
    - name: nightly
      template: {spec: {containers: [{name: a, image: b}]}}
      arrivals: {batch: {every: 24h, pods: 5}}
      lifetime: {fixed: 1h}
  spotInterruptions:
    - {ratePercentPerHour: 5, nodePool: default, from: 1h, to: 2h}
  trace: {file: trace.csv}
`;

const random = (from: string, to: string): string => join(edit(RANDOM, from, to), NODE_POOL, NODE_CLASS);

expectProblems('a Scenario with a broken load is a problem with its line and field', [
  [random('name: nightly', 'name: batch'), 11, 'spec.loads[1].name', 'default/batch is a load already'],
  [random('name: nightly', 'name: Nightly'), 11, 'spec.loads[1].name', 'lower case'],
  [random('      cpu: 500m\n', ''), 7, 'spec.loads[0]', 'has no requests; write cpu, memory, or a template'],
  [random('cpu: 500m', 'cpu: lots'), 8, 'spec.loads[0].cpu', 'a quantity'],
  [random('poisson:', 'posson:'), 9, 'spec.loads[0].arrivals.posson', 'did you mean poisson?'],
  [random('{perHour: 12}', '{}'), 9, 'spec.loads[0].arrivals.poisson.perHour', 'is missing'],
  [random('perHour: 12', 'perHour: 1000000'), 9, 'spec.loads[0].arrivals.poisson.perHour', 'too large'],
  [
    random('{poisson: {perHour: 12}}', '{}'),
    9,
    'spec.loads[0].arrivals',
    'is empty; write one of poisson, diurnal, batch',
  ],
  [
    random('{perHour: 12}}', '{perHour: 12}, batch: {every: 1h, pods: 1}}'),
    9,
    'spec.loads[0].arrivals.batch',
    'cannot be set together with poisson',
  ],
  [
    random('{exponential: 10m}', '{fixed: 1m, exponential: 10m}'),
    10,
    'spec.loads[0].lifetime.exponential',
    'exactly one',
  ],
  [
    random('every: 24h', 'every: 10ms'),
    13,
    'spec.loads[1].arrivals.batch.every',
    '10ms is too short; write 1s or more',
  ],
  [
    random('      template', '      memory: 1Gi\n      template'),
    12,
    'spec.loads[1].memory',
    'cannot be set together with',
  ],
  [
    random('{spec: {containers', '{spec: {restartPolicy: Always, containers'),
    12,
    'spec.loads[1].template.spec.restartPolicy',
    'write OnFailure or Never',
  ],
  [random('ratePercentPerHour: 5, ', ''), 16, 'spec.spotInterruptions[0]', 'write one of ratePercentPerHour, perHour'],
  [
    random('PerHour: 5', 'PerHour: 100'),
    16,
    'spec.spotInterruptions[0].ratePercentPerHour',
    '100 is too large; write a number from 0 to 99.9',
  ],
  [random('to: 2h', 'to: 30m'), 16, 'spec.spotInterruptions[0].to', '30m is not after 1h'],
  [random('nodePool: default', 'nodePool: defualt'), 16, 'spec.spotInterruptions[0].nodePool', 'did you mean default?'],
  [
    random('nodePool: default', 'zones: [us-east-1x]'),
    16,
    'spec.spotInterruptions[0].zones[0]',
    'is not a zone of any',
  ],
  [random('file: trace.csv', 'fiel: trace.csv'), 17, 'spec.trace.fiel', 'did you mean file?'],
]);

expectProblems('a broken Scenario is a problem with its line and field', SCENARIOS);
