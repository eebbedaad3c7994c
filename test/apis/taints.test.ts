import { describe, expect, test } from 'vitest';
import type { Taint, Toleration } from '../../lib/apis/kubernetes.ts';
import { formatTaint, isEphemeral, sameTaint, tolerates, untoleratedTaint } from '../../lib/apis/taints.ts';

const GPU: Taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };

describe('tolerations', () => {
  test.each<[string, Toleration, boolean]>([
    ['the same key, value and effect', { key: 'gpu', value: 'yes', effect: 'NoSchedule' }, true],
    ['no operator means Equal', { key: 'gpu', operator: 'Equal', value: 'yes' }, true],
    ['no effect means every effect', { key: 'gpu', value: 'yes' }, true],
    ['an empty effect means every effect', { key: 'gpu', operator: 'Exists', effect: '' }, true],
    ['another value', { key: 'gpu', value: 'no' }, false],
    ['no value', { key: 'gpu' }, false],
    ['Exists, whatever the value', { key: 'gpu', operator: 'Exists' }, true],
    ['another effect', { key: 'gpu', operator: 'Exists', effect: 'NoExecute' }, false],
    ['another key', { key: 'cpu', operator: 'Exists' }, false],
    ['no key with Exists: everything', { operator: 'Exists' }, true],
    ['an empty key with Exists: everything', { key: '', operator: 'Exists' }, true],
    ['no key with Exists, of another effect', { operator: 'Exists', effect: 'PreferNoSchedule' }, false],
    ['no key without Exists: nothing', { value: 'yes' }, false],
  ])('%s', (_, toleration, expected) => {
    expect(tolerates([toleration], GPU)).toBe(expected);
  });

  test('a taint without a value is tolerated by Equal with none', () => {
    expect(tolerates([{ key: 'gpu' }], { key: 'gpu', effect: 'NoSchedule' })).toBe(true);
  });

  test('one toleration is enough for a taint, and every taint needs one', () => {
    const other: Taint = { key: 'team', value: 'a', effect: 'NoExecute' };
    const tolerations: readonly Toleration[] = [{ key: 'x' }, { key: 'gpu', operator: 'Exists' }];
    expect(untoleratedTaint([GPU], tolerations)).toBeUndefined();
    expect(untoleratedTaint([GPU, other], tolerations)).toBe(other);
    expect(untoleratedTaint([])).toBeUndefined();
  });

  test('PreferNoSchedule counts like other effects until it is relaxed (B61)', () => {
    expect(untoleratedTaint([{ key: 'soft', effect: 'PreferNoSchedule' }])).toBeDefined();
  });
});

describe('taints', () => {
  test.each([
    ['node.kubernetes.io/not-ready', true],
    ['node.kubernetes.io/unreachable', true],
    ['node.cloudprovider.kubernetes.io/uninitialized', true],
    ['karpenter.sh/unregistered', true],
    ['readiness.k8s.io/network', true],
    ['karpenter.sh/disrupted', false],
    ['node.kubernetes.io/memory-pressure', false],
    ['team', false],
  ])('%s is removed by Kubernetes while a node starts: %s (A6.6)', (key, expected) => {
    expect(isEphemeral({ key, effect: 'NoSchedule' })).toBe(expected);
  });

  test('are the same by key and effect, which a node has once', () => {
    expect(sameTaint({ key: 'a', effect: 'NoSchedule' }, { key: 'a', value: '1', effect: 'NoSchedule' })).toBe(true);
    expect(sameTaint({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' })).toBe(false);
    expect(sameTaint({ key: 'a', effect: 'NoSchedule' }, { key: 'b', effect: 'NoSchedule' })).toBe(false);
  });

  test('are written as kubectl writes them', () => {
    expect(formatTaint(GPU)).toBe('gpu=yes:NoSchedule');
    expect(formatTaint({ key: 'gpu', effect: 'NoExecute' })).toBe('gpu:NoExecute');
  });
});
