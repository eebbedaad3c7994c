import { describe, expect, test } from 'vitest';
import { formatSubject, isSameSubject, namespacedSubject, type Subject } from '../../../lib/core/model/subject.ts';
import { aPod } from '../../builders/pods.ts';

describe('the text of a subject', () => {
  test.each<[Subject, string]>([
    [{ kind: 'Pod', namespace: 'default', name: 'web-1' }, 'pod default/web-1'],
    [{ kind: 'CapacityBuffer', namespace: 'shop', name: 'spare' }, 'capacitybuffer shop/spare'],
    [{ kind: 'Node', name: 'ip-10-0-0-1' }, 'node ip-10-0-0-1'],
    [{ kind: 'EC2NodeClass', name: 'default' }, 'ec2nodeclass default'],
  ])('%j is "%s"', (subject, text) => {
    expect(formatSubject(subject)).toBe(text);
  });
});

test('the subject for a pod without a namespace is in the default namespace', () => {
  const { namespace: _, ...metadata } = aPod({ name: 'web' }).metadata;
  expect(namespacedSubject('Pod', { metadata })).toEqual({ kind: 'Pod', namespace: 'default', name: 'web' });
});

test('subjects are the same if kind, namespace and name are', () => {
  const pod: Subject = { kind: 'Pod', namespace: 'default', name: 'a' };
  expect(isSameSubject(pod, { ...pod })).toBe(true);
  const others: readonly Subject[] = [
    { ...pod, kind: 'CapacityBuffer' },
    { ...pod, namespace: 'shop' },
    { ...pod, name: 'b' },
    { kind: 'Node', name: 'a' },
  ];
  expect(others.filter((other) => isSameSubject(pod, other))).toEqual([]);
});
