import { expect, test } from 'vitest';
import type { LabelSelector, Pod } from '../../../lib/apis/kubernetes.ts';
import { awaitNamespaces } from '../../../lib/core/provisioning/unread-namespaces.ts';
import { pendingPod } from '../../builders/pods.ts';

const UNREAD = { kind: 'unread', failure: new Error('403') } as const;

function apartFrom(namespaceSelector?: LabelSelector): Pod {
  const pod = pendingPod({ name: 'web' });
  const term = { topologyKey: 'kubernetes.io/hostname', ...(namespaceSelector && { namespaceSelector }) };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  return { ...pod, spec: { ...pod.spec, affinity: { podAntiAffinity } } };
}

const BY_LABEL = apartFrom({ matchLabels: { team: 'a' } });

test('while namespaces are unread, a pod waits whose affinity selects them by labels', () => {
  expect(awaitNamespaces([BY_LABEL], UNREAD)).toEqual({
    known: [],
    waiting: [
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'web' },
        reason: 'NotRead',
        message: 'its affinity selects namespaces by labels, and the namespaces could not be read: 403',
        numbers: {},
      },
    ],
  });
});

test('other pods do not wait: without a selector, with one of all namespaces, or with a node', () => {
  const bound = { ...BY_LABEL, spec: { ...BY_LABEL.spec, nodeName: 'node-1' } };
  const pods = [pendingPod(), apartFrom(), apartFrom({}), bound];
  expect(awaitNamespaces(pods, UNREAD)).toEqual({ known: pods, waiting: [] });
});

test('once namespaces are read, no pod waits', () => {
  expect(awaitNamespaces([BY_LABEL], { kind: 'read', value: [] })).toEqual({ known: [BY_LABEL], waiting: [] });
});
