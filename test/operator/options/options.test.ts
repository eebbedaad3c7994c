import { describe, expect, test } from 'vitest';
import { parseCluster, writeClusters } from '../../../lib/operator/options/cluster-options.ts';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import {
  CLUSTER_FUNCTIONS,
  catalogueOptions,
  controllerOptions,
  type Environment,
  VARIABLES,
  webhookOptions,
} from '../../../lib/operator/options/options.ts';

function environment(overrides: Environment = {}): Environment {
  const queues = CLUSTER_FUNCTIONS.map((target) => [VARIABLES.queue(target), `https://sqs.test/${target}`] as const);
  return {
    AWS_REGION: 'eu-west-3',
    LAMBDA_TASK_ROOT: '/var/task',
    CLUSTERS: '{"demo":{}}',
    TABLE_NAME: 'state',
    ACCOUNT_ID: '111122223333',
    BODIES_BUCKET_NAME: 'bodies',
    EVENT_BUS_NAME: 'decisions',
    OWN_QUEUE_URL: 'https://sqs.test/own',
    WEBHOOK_SECRET: 's3cret',
    ...Object.fromEntries(queues),
    ...overrides,
  };
}

function messageOf(parse: () => unknown): string {
  try {
    return `no error: ${JSON.stringify(parse())}`;
  } catch (error) {
    return error instanceof OptionError ? error.message : `another error: ${String(error)}`;
  }
}

test('a complete environment is read', () => {
  expect(controllerOptions(environment())).toMatchObject({
    region: 'eu-west-3',
    table: 'state',
    deployment: '111122223333/eu-west-3/state',
    eventBus: 'decisions',
  });
  expect(controllerOptions(environment()).queueUrls.termination).toBe('https://sqs.test/termination');
  expect(webhookOptions(environment())).toMatchObject({ secret: 's3cret', clusters: new Set(['demo']) });
  expect(catalogueOptions(environment()).priceFolder).toBe('/var/task/data');
});

test('the clusters of the deployment are its own and those of other networks; they are not known if these did not fit', () => {
  expect(controllerOptions(environment({ OTHER_CLUSTERS: '["far"]' })).served).toEqual(['demo', 'far']);
  expect(controllerOptions(environment({ OTHER_CLUSTERS: '[]' })).served).toEqual(['demo']);
  expect(controllerOptions(environment()).served).toBeUndefined();
  expect(messageOf(() => controllerOptions(environment({ OTHER_CLUSTERS: '[1]' })))).toContain(
    'must be a list of names',
  );
});

test.each([
  'AWS_REGION',
  'CLUSTERS',
  'TABLE_NAME',
  'ACCOUNT_ID',
  'BODIES_BUCKET_NAME',
  'EVENT_BUS_NAME',
  'OWN_QUEUE_URL',
  'DISRUPTION_QUEUE_URL',
])('%s is named where it is missing', (variable) => {
  expect(messageOf(() => controllerOptions(environment({ [variable]: undefined })))).toContain(
    `${variable} is not set`,
  );
  expect(messageOf(() => controllerOptions(environment({ [variable]: '' })))).toContain(`${variable} is not set`);
});

test('the webhook needs no more than its own variables', () => {
  const { CLUSTERS, WEBHOOK_SECRET, ...rest } = environment();
  const own = {
    CLUSTERS,
    WEBHOOK_SECRET,
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key.endsWith('_URL'))),
  };
  expect(webhookOptions(own).secret).toBe('s3cret');
});

test('what the stack writes is what a function reads; the role stays behind', () => {
  const clusters = [
    { name: 'a', endpoint: 'https://a.test', certificateAuthority: 'Q0E=', nodeRole: 'nodes' },
    { name: 'b', dryRunChecks: false },
  ];
  const read = controllerOptions(environment({ CLUSTERS: writeClusters(clusters) })).clusters;
  expect([...read.values()]).toEqual([
    { name: 'a', endpoint: 'https://a.test', certificateAuthority: 'Q0E=' },
    { name: 'b', dryRunChecks: false },
  ]);
});

describe('CLUSTERS', () => {
  test.each([
    ['{', 'CLUSTERS is not JSON: {'],
    ['[]', 'CLUSTERS is []: it must be an object with one key for each cluster'],
    ['{}', 'CLUSTERS is {}: it must be an object with one key for each cluster'],
    ['{"demo":1}', 'CLUSTERS.demo is 1: it must be an object'],
    [
      '{"demo":{"endpont":"x"}}',
      'CLUSTERS.demo.endpont is not a known field; did you mean endpoint?: the fields are name, endpoint',
    ],
    ['{"demo":{"endpoint":7}}', 'CLUSTERS.demo.endpoint is 7: it must be a string'],
    ['{"demo":{"endpoint":"nonsense"}}', 'CLUSTERS.demo.endpoint is nonsense: it must be an address'],
  ])('%s is refused', (text, message) => {
    expect(messageOf(() => controllerOptions(environment({ CLUSTERS: text })))).toContain(message);
  });
});

test.each(['', '-demo', 'de/mo', 'de mo', 'x'.repeat(101), 7])('%j is not a cluster name', (name) => {
  expect(messageOf(() => parseCluster({ name }, 'clusters[0]'))).toContain('clusters[0].name is');
});

test.each([
  ['https://0A.gr7.eu-west-3.eks.amazonaws.com', true],
  ['http://127.0.0.1:6443', true],
  ['http://localhost:6443', true],
  ['http://10.0.0.1', false],
  ['http://127.0.0.1.evil.test', false],
  ['ftp://127.0.0.1', false],
])('the endpoint %s: %s', (endpoint, allowed) => {
  expect(messageOf(() => parseCluster({ name: 'demo', endpoint }, 'clusters[0]')).startsWith('no error')).toBe(allowed);
});

test('zonal shifts apply if the configuration enables them (C36), and the functions get the setting', () => {
  const clusters = [{ name: 'a', zonalShift: true }, { name: 'b' }];
  const read = controllerOptions(environment({ CLUSTERS: writeClusters(clusters) })).clusters;
  expect([...read.values()]).toEqual(clusters);
  expect(messageOf(() => parseCluster({ name: 'a', zonalShift: 'yes' }, 'clusters[0]'))).toContain(
    'clusters[0].zonalShift is "yes": it must be true or false',
  );
});
