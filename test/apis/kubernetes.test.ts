import { describe, expect, test } from 'vitest';
import { conditionStatus, type LabelSelector, podKey, selectorMatches } from '../../lib/apis/kubernetes.ts';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front' };
  test.each<[string, LabelSelector | undefined, boolean]>([
    ['a missing selector matches nothing', undefined, false],
    ['an empty selector matches everything', {}, true],
    ['every label must match', { matchLabels: { app: 'web', tier: 'front' } }, true],
    ['one label does not match', { matchLabels: { app: 'web', tier: 'back' } }, false],
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
      'a name of every object: Exists, absent',
      { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
      false,
    ],
    [
      'a name of every object: DoesNotExist',
      { matchExpressions: [{ key: 'valueOf', operator: 'DoesNotExist' }] },
      true,
    ],
    [
      'a name of every object: NotIn, absent',
      { matchExpressions: [{ key: 'toString', operator: 'NotIn', values: ['a'] }] },
      true,
    ],
    [
      'labels and expressions both',
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['back'] }] },
      false,
    ],
  ])('%s', (_, selector, expected) => {
    expect(selectorMatches(selector, labels)).toBe(expected);
  });

  test('only the empty selector matches a pod without labels', () => {
    expect(selectorMatches({}, undefined)).toBe(true);
    expect(selectorMatches({ matchLabels: { app: 'web' } }, undefined)).toBe(false);
  });
});

test('the key of a pod is its namespace and name; the namespace defaults to default', () => {
  expect(podKey({ metadata: { name: 'web-1', namespace: 'shop' } })).toBe('shop/web-1');
  expect(podKey({ metadata: { name: 'web-1' } })).toBe('default/web-1');
});

test('a missing condition has no status', () => {
  expect(conditionStatus({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'Ready')).toBe('True');
  expect(conditionStatus({}, 'Ready')).toBeUndefined();
});
