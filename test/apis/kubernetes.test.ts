import { describe, expect, test } from 'vitest';
import { conditionStatus, type LabelSelector, podKey, selectorMatches } from '../../lib/apis/kubernetes.ts';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front' };
  test.each<[string, LabelSelector | undefined, boolean]>([
    ['no selector picks nothing', undefined, false],
    ['an empty selector picks everything', {}, true],
    ['every label must match', { matchLabels: { app: 'web', tier: 'front' } }, true],
    ['one that does not match is enough', { matchLabels: { app: 'web', tier: 'back' } }, false],
    ['In, listed', { matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'web'] }] }, true],
    ['In, not listed', { matchExpressions: [{ key: 'app', operator: 'In', values: ['api'] }] }, false],
    ['In, absent', { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] }, false],
    ['In nothing', { matchExpressions: [{ key: 'app', operator: 'In' }] }, false],
    ['NotIn, listed', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
    ['NotIn, not listed', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['api'] }] }, true],
    ['NotIn, absent', { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] }, true],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    ['Exists, absent', { matchExpressions: [{ key: 'team', operator: 'Exists' }] }, false],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    ['DoesNotExist, absent', { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] }, true],
    [
      'labels and expressions both',
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['back'] }] },
      false,
    ],
  ])('%s', (_, selector, expected) => {
    expect(selectorMatches(selector, labels)).toBe(expected);
  });

  test('a pod without labels is picked by the empty selector alone', () => {
    expect(selectorMatches({}, undefined)).toBe(true);
    expect(selectorMatches({ matchLabels: { app: 'web' } }, undefined)).toBe(false);
  });
});

test('a pod is named by its namespace and name; no namespace is the default one', () => {
  expect(podKey({ metadata: { name: 'web-1', namespace: 'shop' } })).toBe('shop/web-1');
  expect(podKey({ metadata: { name: 'web-1' } })).toBe('default/web-1');
});

test('a condition that an object does not carry has no status', () => {
  expect(conditionStatus({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'Ready')).toBe('True');
  expect(conditionStatus({}, 'Ready')).toBeUndefined();
});
