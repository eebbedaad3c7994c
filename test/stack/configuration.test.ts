import { expect, test } from 'vitest';
import { OptionError } from '../../lib/operator/options/option-values.ts';
import { configuredClusters, webhookSecretRotation } from '../../lib/stack/configuration.ts';

function read(context: { readonly cluster?: unknown; readonly clusters?: unknown }): unknown {
  try {
    return configuredClusters((key) => (key === 'cluster' ? context.cluster : context.clusters));
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
])('%j is read', (context, clusters) => {
  expect(read(context)).toEqual(clusters);
});

test.each([
  [{}, 'no cluster is set; use -c cluster=NAME'],
  [{ cluster: 'a', clusters: '[{"name":"b"}]' }, 'cluster and clusters are both set; use one of them'],
  [{ cluster: 'a b' }, 'clusters[0].name is "a b": it must be the name of an EKS cluster'],
  [{ cluster: 7 }, 'clusters[0].name is 7: it must be the name of an EKS cluster'],
  [{ clusters: [{ name: 'a', makeNodeRole: 'yes' }] }, 'clusters[0].makeNodeRole is "yes": it must be true or false'],
  [{ clusters: 'nonsense' }, 'clusters is not JSON: nonsense'],
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
