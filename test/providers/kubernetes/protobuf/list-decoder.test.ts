import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { podOf } from '../../../../lib/providers/kubernetes/project/project.ts';
import { listDecoder } from '../../../../lib/providers/kubernetes/protobuf/list-decoder.ts';
import { NODE_LIST } from '../../../../lib/providers/kubernetes/protobuf/node.ts';
import { POD_LIST } from '../../../../lib/providers/kubernetes/protobuf/pod.ts';
import { WireError } from '../../../../lib/providers/kubernetes/protobuf/wire.ts';
import { aListAnswer, aMap, aMessage, aWirePod, type WireFields } from '../../../builders/protobuf.ts';

function podsOf(answer: Buffer): readonly Pod[] {
  const decoder = listDecoder(POD_LIST);
  const items = decoder.push(answer);
  decoder.end();
  return items;
}

function specOf(spec: WireFields): unknown {
  const { containers: _, ...rest } = podsOf(aListAnswer([aWirePod('web', spec)]))[0]?.spec ?? {};
  return rest;
}

function cpu(amount: string): WireFields[number] {
  return aMap({ cpu: aMessage({ 1: amount }) });
}

describe('a pod', () => {
  test('has only the fields that decisions read', () => {
    const env = aMessage({ 1: 'HOME', 2: '/root' });
    const container = aMessage({
      1: 'main',
      2: 'nginx',
      7: env,
      8: aMessage({ 2: aMap({ cpu: aMessage({ 1: '1' }) }) }),
    });
    const metadata = { 11: aMap({ app: 'web' }), 17: aMessage({ 1: 'kubelet' }) };
    expect(podsOf(aListAnswer([aWirePod('web', { 2: container }, metadata)]))).toEqual([
      {
        metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
        status: {},
      },
    ]);
  });

  test('has the status of its containers only during an in-place resize, as from JSON (B18)', () => {
    const container = aMessage({ 1: 'main', 8: aMessage({ 2: cpu('1') }) });
    const statusWith = (allocated: string, actual: string) => {
      const status = aMessage({
        1: 'main',
        6: 'nginx',
        10: cpu(allocated),
        11: aMessage({ 1: cpu('9'), 2: cpu(actual) }),
      });
      const [pod] = podsOf(aListAnswer([aWirePod('web', { 2: container }, { status: aMessage({ 8: status }) })]));
      const raw = { name: 'main', image: 'nginx', allocatedResources: { cpu: allocated } };
      const resources = { limits: { cpu: '9' }, requests: { cpu: actual } };
      const spec = { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] };
      const json = podOf({ metadata: { name: 'web' }, spec, status: { containerStatuses: [{ ...raw, resources }] } });
      expect(json?.status).toEqual(pod?.status);
      return pod?.status;
    };
    const resized = {
      name: 'main',
      allocatedResources: { cpu: '2' },
      resources: { limits: { cpu: '9' }, requests: { cpu: '1' } },
    };
    expect(statusWith('1', '1')).toEqual({});
    expect(statusWith('2', '1')).toEqual({ containerStatuses: [resized] });
    expect(statusWith('1', '2')).toHaveProperty('containerStatuses');
    const sidecar = aMessage({ 1: 'side', 8: aMessage({ 2: cpu('1') }) });
    const ofSidecar = aMessage({ 1: 'side', 10: cpu('2') });
    const status = aMessage({ 8: aMessage({ 1: 'main', 10: cpu('1') }), 10: ofSidecar });
    const [pod] = podsOf(aListAnswer([aWirePod('web', { 2: container, 20: sidecar }, { status })]));
    expect(pod?.status?.containerStatuses?.map(({ name }) => name)).toEqual(['main', 'side']);
  });

  test('does not have fields that the server writes empty instead of omitting them', () => {
    expect(specOf({ 3: '', 10: '', 11: false, 24: '' })).toEqual({});
  });

  test('keeps a zero that is set explicitly', () => {
    const toleration = aMessage({ 1: 'gone', 2: 'Exists', 4: 'NoExecute', 5: 0 });
    expect(specOf({ 4: 0, 22: toleration, 25: 0 })).toEqual({
      terminationGracePeriodSeconds: 0,
      tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
      priority: 0,
    });
  });

  test.each([
    ['below zero', -10, -10],
    ['the largest of 53 bits', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['larger, rounded as JSON.parse rounds it', 2n ** 63n - 1n, 2 ** 63],
  ])('has a number that is %s', (_, written, read) => {
    expect(specOf({ 4: written })).toEqual({ terminationGracePeriodSeconds: read });
  });

  test('has times in whole seconds, and none that was never set', () => {
    const metadata = { 8: aMessage({ 1: 1_763_712_000, 2: 5 }), 9: Buffer.alloc(0) };
    const [pod] = podsOf(aListAnswer([aWirePod('web', {}, metadata)]));
    expect(pod?.metadata).toEqual({ name: 'web', namespace: 'default', creationTimestamp: '2025-11-21T08:00:00Z' });
  });

  test('has a time at 1970, which is not the same as none', () => {
    const [pod] = podsOf(aListAnswer([aWirePod('web', {}, { 8: aMessage({ 1: 0, 2: 0 }) })]));
    expect(pod?.metadata.creationTimestamp).toBe('1970-01-01T00:00:00Z');
  });

  // The last and the first second of RFC 3339, in zones in which they have another year in UTC.
  test.each([
    [253_402_351_199, '10000-01-01T13:59:59Z'],
    [-62_167_269_600, '-0001-12-31T10:00:00Z'],
  ])('has a time of another year than RFC 3339 (%i s) as the JSON of the API server', (seconds, text) => {
    const [pod] = podsOf(
      aListAnswer([aWirePod('web', {}, { 8: aMessage({ 1: BigInt.asUintN(64, BigInt(seconds)) }) })]),
    );
    expect(pod?.metadata.creationTimestamp).toBe(text);
  });

  test('has only the annotations that decisions read, as in JSON', () => {
    const annotations = {
      'karpenter.sh/do-not-disrupt': 'été',
      'controller.kubernetes.io/pod-deletion-cost': ' '.repeat(250_000),
      'karpenter.sh/capacity-buffer-name': 'é'.repeat(256),
      'karpenter.sh/capacity-buffer-namespace': 'é'.repeat(257),
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      note: 'x'.repeat(250_000),
    };
    const kept = {
      'karpenter.sh/do-not-disrupt': 'été',
      'karpenter.sh/capacity-buffer-name': 'é'.repeat(256),
    };
    const [pod] = podsOf(aListAnswer([aWirePod('web', {}, { 12: aMap(annotations) })]));
    expect(pod?.metadata.annotations).toEqual(kept);
    expect(podOf({ metadata: { name: 'web', annotations }, spec: { containers: [] } })?.metadata.annotations).toEqual(
      kept,
    );
  });

  test('with a field that a newer server adds is read as before', () => {
    const spec = { 900: 'new', 901: 7, 902: aMessage({ 1: 'deep' }) };
    expect(specOf(spec)).toEqual({});
  });

  test('without containers is an error', () => {
    const broken = aMessage({ 1: aMessage({ 1: 'web' }), 2: aMessage({}), 3: '' });
    expect(podsOf(aListAnswer([broken]))).toEqual([]);
  });
});

test('pods share equal field values', () => {
  const labels = { 11: aMap({ app: 'web' }) };
  const [one, other] = podsOf(aListAnswer([aWirePod('a', {}, labels), aWirePod('b', {}, labels)]));
  expect(one?.metadata.labels).toEqual({ app: 'web' });
  expect(other?.metadata.labels).toBe(one?.metadata.labels);
});

test('a list has its version, and whether it is complete', () => {
  const decoder = listDecoder(POD_LIST);
  decoder.push(aListAnswer([], { resourceVersion: '42', continue: 'token' }));
  expect(decoder.end()).toEqual({ resourceVersion: '42', continue: 'token' });
});

test('a node that is unschedulable and tainted shows both', () => {
  const taint = aMessage({ 1: 'dedicated', 2: '', 3: 'NoSchedule', 4: aMessage({ 1: 0, 2: 0 }) });
  const node = aMessage({ 1: aMessage({ 1: 'n' }), 2: aMessage({ 3: 'aws:///a/i-1', 4: true, 5: taint }), 3: '' });
  expect(listDecoder(NODE_LIST).push(aListAnswer([node], { kind: 'NodeList' }))).toEqual([
    {
      metadata: { name: 'n' },
      spec: {
        providerID: 'aws:///a/i-1',
        unschedulable: true,
        taints: [{ key: 'dedicated', effect: 'NoSchedule', timeAdded: '1970-01-01T00:00:00Z' }],
      },
      status: {},
    },
  ]);
});

describe('an error', () => {
  const labelsInTwoParts = Buffer.concat([
    aMessage({ 1: 'web', 11: aMap({ a: '1' }) }),
    aMessage({ 3: 'default', 11: aMap({ b: '2' }) }),
  ]);
  const REFUSED: readonly (readonly [string, Buffer])[] = [
    ['an empty response', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"PodList","items":[]}')],
    ['a list of another kind', aListAnswer([], { kind: 'NodeList' })],
    ['an error in place of a list', aListAnswer([], { kind: 'Status' })],
    ['a list without a version', aListAnswer([], { resourceVersion: '' })],
    ['a list that is encoded once more', aListAnswer([], { contentEncoding: 'zstd' })],
    ['a text where a number belongs', aListAnswer([aWirePod('web', { 4: 'soon' })])],
    ['an item longer than any that etcd holds', aListAnswer([Buffer.alloc(17 * 1024 * 1024)])],
    ['a time beyond what can be written', aListAnswer([aWirePod('web', {}, { 8: aMessage({ 1: 2n ** 60n, 2: 0 }) })])],
    ['labels in two places', aListAnswer([aMessage({ 1: labelsInTwoParts, 2: aMessage({}), 3: '' })])],
    ['two lists', Buffer.concat([aListAnswer([]), aMessage({ 2: '' })])],
  ];

  test.each(REFUSED)('%s', (_, answer) => {
    expect(() => podsOf(answer)).toThrow(WireError);
  });
});
