import { expect, test } from 'vitest';
import type { LimitRange, LimitRangeItem } from '../../../lib/apis/kubernetes.ts';
import { withLimitRanges } from '../../../lib/core/admission/limit-ranges.ts';
import { aPod } from '../../builders/pods.ts';

function limitRange(item: Partial<LimitRangeItem>, namespace = 'default'): LimitRange {
  return { metadata: { name: 'defaults', namespace }, spec: { limits: [{ type: 'Container', ...item }] } };
}

function resourcesOf(
  given: { readonly requests?: Record<string, string>; readonly limits?: Record<string, string> },
  ...ranges: readonly LimitRange[]
) {
  const pod = withLimitRanges(aPod({ containers: [{ name: 'main', resources: given }] }), ranges);
  return pod.spec.containers[0]?.resources;
}

test('a container without requests and limits gets the defaults', () => {
  const range = limitRange({ default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '250m' } });
  expect(resourcesOf({}, range)).toEqual({
    limits: { cpu: '1', memory: '1Gi' },
    requests: { cpu: '250m', memory: '1Gi' },
  });
});

test('requests and limits of the container have precedence; a request that is missing beside a limit is the limit', () => {
  const range = limitRange({ default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '250m', memory: '64Mi' } });
  expect(resourcesOf({ requests: { cpu: '500m' }, limits: { memory: '2Gi' } }, range)).toEqual({
    limits: { cpu: '1', memory: '2Gi' },
    requests: { cpu: '500m', memory: '2Gi' },
  });
});

test('max is the default limit, and min the default request', () => {
  expect(resourcesOf({}, limitRange({ max: { cpu: '2' }, min: { cpu: '100m', memory: '32Mi' } }))).toEqual({
    limits: { cpu: '2' },
    requests: { cpu: '2', memory: '32Mi' },
  });
});

test('init containers get the defaults too', () => {
  const init = { name: 'init' };
  const pod = withLimitRanges(aPod({ spec: { initContainers: [init] } }), [
    limitRange({ defaultRequest: { cpu: '1' } }),
  ]);
  expect(pod.spec.initContainers).toEqual([{ name: 'init', resources: { limits: {}, requests: { cpu: '1' } } }]);
});

test.each([
  ['of another namespace', limitRange({ defaultRequest: { cpu: '1' } }, 'shop')],
  ['for whole pods', limitRange({ type: 'Pod', max: { cpu: '1' } })],
])('a LimitRange %s changes nothing', (_, range) => {
  const pod = aPod();
  expect(withLimitRanges(pod, [range])).toBe(pod);
});

test('of several LimitRanges, the first with a default is used', () => {
  const [a, b] = [
    limitRange({ defaultRequest: { cpu: '1' } }),
    limitRange({ defaultRequest: { cpu: '2', memory: '1Gi' } }),
  ];
  expect(resourcesOf({}, a, b)?.requests).toEqual({ cpu: '1', memory: '1Gi' });
});
