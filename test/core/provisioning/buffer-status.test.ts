import { expect, test } from 'vitest';
import type { CapacityBuffer } from '../../../lib/apis/capacity-buffer.ts';
import { podKey } from '../../../lib/apis/kubernetes.ts';
import type { Blocked } from '../../../lib/core/model/decision.ts';
import type { Reason } from '../../../lib/core/model/reasons.ts';
import { bufferPods } from '../../../lib/core/provisioning/buffer-pods.ts';
import { type BufferRun, decideBuffer } from '../../../lib/core/provisioning/buffer-status.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { A_BUFFER, A_POD_TEMPLATE } from '../../contract/cluster-objects.ts';

const BUFFER: CapacityBuffer = A_BUFFER.object;
const WORKLOADS = { podTemplates: [A_POD_TEMPLATE.object], deployments: [], statefulSets: [], replicaSets: [] };
const { pods } = bufferPods([BUFFER], WORKLOADS, NOW_MS);
const subject = { kind: 'CapacityBuffer', namespace: 'default', name: 'spare' } as const;
const blocked = (reason: Reason): Blocked => ({ subject, reason, message: `why ${reason}`, numbers: {} });

function shown(over: Partial<BufferRun> = {}): CapacityBuffer['status'] {
  return decideBuffer(BUFFER, { bufferPods: pods, actions: [], blocked: [], ignoredObjects: [], ...over }, NOW_MS)
    ?.status;
}

function answers(status: CapacityBuffer['status']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]),
  );
}

test('a buffer with available capacity shows it, with its replicas and template (A5.7)', () => {
  expect(pods).toHaveLength(2);
  expect(shown()).toMatchObject({
    podTemplateRef: { name: 'small' },
    replicas: 2,
    provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
  });
  expect(answers(shown())).toEqual({
    ReadyForProvisioning: 'True Resolved',
    Provisioning: 'True FitsExistingCapacity',
  });
});

test('a buffer shows that its capacity is being launched, or cannot be launched (A5.7)', () => {
  const nodeClaim = aClaim({ pods: pods.map(podKey) });
  const made = shown({ actions: [{ kind: 'create-node-claim', nodeClaim }] });
  expect(answers(made)).toHaveProperty('Provisioning', 'False RequiresNewCapacity');
  expect(answers(shown({ blocked: [blocked('LimitExceeded')] }))).toHaveProperty(
    'Provisioning',
    'False RequiresNewCapacity',
  );
});

test('a buffer that cannot be resolved shows the reason, and one that requests nothing is empty (A5.7)', () => {
  const unresolved = shown({ bufferPods: [], ignoredObjects: [blocked('PodTemplateNotFound')] });
  expect(answers(unresolved)).toEqual({
    ReadyForProvisioning: 'False PodTemplateNotFound',
    Provisioning: 'False NotReadyForProvisioning',
  });
  expect(answers(shown({ bufferPods: [] }))).toHaveProperty('Provisioning', 'False BufferEmpty');
});

test('the status of a buffer is not written if it is unchanged', () => {
  const status = shown();
  const written: CapacityBuffer = { ...BUFFER, ...(status !== undefined && { status }) };
  const look = { bufferPods: pods, actions: [], blocked: [], ignoredObjects: [] };
  expect(decideBuffer(written, look, NOW_MS + MINUTE)).toBeUndefined();
});
