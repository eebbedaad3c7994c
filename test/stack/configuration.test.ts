import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { OptionError } from '../../lib/operator/options/option-values.ts';
import { alarmTopic, configuredClusters, webhookSecretRotation } from '../../lib/stack/configuration.ts';
import { checkContextKeys } from '../../lib/stack/context-keys.ts';

function read(context: Readonly<Record<string, unknown>>): unknown {
  try {
    return configuredClusters((key) => context[key]);
  } catch (error) {
    return error instanceof OptionError ? error.message : error;
  }
}

test.each([
  [{ cluster: 'demo' }, [{ name: 'demo' }]],
  [
    { clusters: '[{"name":"a"},{"name":"b","endpoint":"https://b.test"}]' },
    [{ name: 'a' }, { name: 'b', endpoint: 'https://b.test' }],
  ],
  [{ clusters: [{ name: 'a', nodeRole: 'nodes' }] }, [{ name: 'a', nodeRole: 'nodes' }]],
  [{ clusters: [{ name: 'a', accessEntries: false }] }, [{ name: 'a', accessEntries: false }]],
  [{ cluster: 'demo', shadow: 'true' }, [{ name: 'demo', shadow: true }]],
  [{ cluster: 'demo', shadow: true }, [{ name: 'demo', shadow: true }]],
  [{ clusters: [{ name: 'a' }], shadow: 'true' }, [{ name: 'a', shadow: true }]],
  [
    { cluster: 'demo', kubernetesVersion: '1.35', reservedEnis: '1', ignoreAtZero: '[]' },
    [{ name: 'demo', kubernetesVersion: '1.35', reservedEnis: 1, ignoreAtZero: [] }],
  ],
])('%j is read', (context, clusters) => {
  expect(read(context)).toEqual(clusters);
});

test.each([
  [{}, 'no cluster is set; use -c cluster=NAME'],
  [{ cluster: 'a', clusters: '[{"name":"b"}]' }, 'cluster and clusters are both set; use one of them'],
  [{ cluster: 'a b' }, 'clusters[0].name is "a b": it must be the name of an EKS cluster'],
  [{ cluster: 7 }, 'clusters[0].name is 7: it must be the name of an EKS cluster'],
  [{ clusters: [{ name: 'a', makeNodeRole: 'yes' }] }, 'clusters[0].makeNodeRole is "yes": it must be true or false'],
  [{ cluster: 'a', shadow: 'yes' }, 'clusters[0].shadow is "yes": it must be true or false'],
  [
    { clusters: '[{"name":"a"},{"name":"b"}]', shadow: 'true' },
    'shadow is set beside 2 clusters: write it into the object of each cluster that it applies to',
  ],
  [
    { clusters: '[{"name":"a","shadow":false}]', shadow: 'true' },
    'shadow is set in clusters[0].shadow and as shadow: set it once',
  ],
  [
    { clusters: '[{"name":"a","shaddow":true}]' },
    'clusters[0].shaddow is not a known field; did you mean shadow?: the fields are name, ',
  ],
  [{ clusters: '' }, `clusters is not JSON: it is empty; write -c clusters='[{"name":"a"},{"name":"b"}]'`],
  [{ clusters: '['.repeat(9_000) }, `clusters is not JSON: ${'['.repeat(197)}...; write -c clusters='[{"name":`],
  [{ clusters: '{nonsense' }, `clusters is not JSON: {nonsense; write -c clusters='[{"name":"a"},{"name":"b"}]'`],
  [
    { clusters: 'blue,green' },
    `clusters is not JSON: blue,green; write -c clusters='[{"name":"blue"},{"name":"green"}]'`,
  ],
  [{ clusters: '[]' }, 'clusters is []; it must be a list such as'],
  [{ clusters: '{"name":"a"}' }, 'clusters is {"name":"a"}; it must be a list such as'],
  [{ clusters: '["a"]' }, 'clusters[0] is "a": it must be an object'],
  [{ clusters: '[{"name":"a"},{"name":"a"}]' }, 'clusters contains a twice; list each cluster once'],
  [
    { clusters: '[{"name":"a","endpoint":"http://10.0.0.1"}]' },
    'clusters[0].endpoint is http://10.0.0.1: it must begin with https://',
  ],
  [
    { clusters: [{ name: 'a', certificateAuthority: 'x'.repeat(3_000) }] },
    'cluster a needs 3033 bytes of environment variables, but at most 2700 are available',
  ],
  [
    {
      clusters: [
        { name: 'a-b', makeNodeRole: true },
        { name: 'A_B', makeNodeRole: true },
      ],
    },
    'makeNodeRole of a-b and A_B: AWS does not distinguish the names of their roles',
  ],
  [
    { clusters: [{ name: 'a' }, { name: 'b', onDelete: 'drain', install: false }] },
    'onDelete of b is "drain", but with "install": false its nodes would not be drained',
  ],
  [
    { cluster: 'a', kubernetesVersion: 1.35 },
    'clusters[0].kubernetesVersion is 1.35: it must be a version as text, such as "1.35"',
  ],
])('%j is refused with one sentence', (context, message) => {
  expect(read(context)).toContain(message);
});

test.each([undefined, '1', '2026-11-21', 'after-the-leak'])(
  'the webhook’s secret is rotated by the text %j',
  (text) => {
    expect(webhookSecretRotation(() => text)).toBe(text);
  },
);

test.each(['', 'a b', 'a/b', 7, true, 'x'.repeat(65)])('%j rotates no secret', (text) => {
  expect(() => webhookSecretRotation(() => text)).toThrow(
    /^rotateWebhookSecret is .*; use at most 64 letters, digits and -, such as/,
  );
});

test('more clusters than a policy of IAM can name are refused', () => {
  const clusters = Array.from({ length: 80 }, (_, index) => ({ name: `production-cluster-${index}` }));
  expect(read({ clusters })).toMatch(
    /^the 80 clusters from production-cluster-0 on need an IAM policy statement of \d+ characters/,
  );
  expect(read({ clusters: clusters.slice(0, 40) })).toHaveLength(40);
});

test('the size of the settings is counted in bytes, as by Lambda, for each network separately', () => {
  const network = { vpcId: 'vpc-11111111', subnetIds: ['subnet-11111111'], securityGroupIds: ['sg-11111111'] };
  const ignoreAtZero = [{ labels: { team: 'ü'.repeat(1_000) } }];
  const long = { ignoreAtZero };
  expect(
    read({
      clusters: [
        { name: 'a', ...long },
        { name: 'b', network, ...long },
      ],
    }),
  ).toHaveLength(2);
  expect(
    read({
      clusters: [
        { name: 'a', ...long },
        { name: 'b', ...long },
      ],
    }),
  ).toMatch(/^the 2 clusters from a on need 4\d{3} bytes of environment variables, but at most 2700 are available/);
});

function contextWith(keys: readonly string[]): object {
  return Object.fromEntries(keys.map((key) => [key, 'a']));
}

test.each([
  [['cluster', 'shaddow'], 'the context key shaddow is not a setting; did you mean shadow?'],
  [['clustres'], 'the context key clustres is not a setting; did you mean clusters?'],
  [['cluster', 'rotateWebookSecret'], 'did you mean rotateWebhookSecret?'],
  [
    ['cluster', 'shadow:true'],
    'the context key shadow:true is not a setting: the settings of a deployment are cluster, ',
  ],
  [['cluster', 'kerf/shadow'], 'the context key kerf/shadow is not a setting: '],
  [['cluster', 'colour'], 'the context key colour is not a setting: the settings of a deployment are cluster, '],
])('the context keys %j are refused, because nothing reads one of them', (keys, message) => {
  expect(() => checkContextKeys(contextWith(keys))).toThrow(message);
});

test('settings, and the keys that CDK itself writes, are allowed', () => {
  const ofCdk = [
    ...Object.keys(cdk.context),
    'aws:cdk:bundling-stacks',
    'aws:cdk:enable-path-metadata',
    'availability-zones:account=123456789012:region=eu-west-3',
    'vpc-provider:account=123456789012:filter.vpc-id=vpc-1:region=eu-west-3',
    'acknowledged-issue-numbers',
    'cli-telemetry',
  ];
  checkContextKeys(contextWith([...ofCdk, 'cluster', 'shadow', 'rotateWebhookSecret', 'alarmTopicArn']));
});

test.each(['on-call', 'arn:aws:sqs:eu-west-3:123456789012:on-call', 7, ''])('%j is not a topic for alarms', (arn) => {
  expect(() => alarmTopic(() => arn)).toThrow(/^alarmTopicArn is .*: it must be the ARN of an SNS topic, such as/);
});
