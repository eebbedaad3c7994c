import { expect, test } from 'vitest';
import { isShownBy, mirrorOf } from '../../../lib/core/node-claim/mirror.ts';
import { instanceIdOf } from '../../../lib/core/node-claim/record.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

function conditions(record: Parameters<typeof mirrorOf>[0]): Readonly<Record<string, string>> {
  return Object.fromEntries((mirrorOf(record).status?.conditions ?? []).map(({ type, status }) => [type, status]));
}

test('the object shows the record under its name, with our finalizer (A2.3)', () => {
  expect(mirrorOf(aClaim()).metadata).toMatchObject({
    name: 'general-1',
    labels: { 'karpenter.sh/nodepool': 'general' },
    finalizers: ['karpenter.sh/termination'],
  });
});

test('it goes with its NodePool (A1.29)', () => {
  expect(mirrorOf(aClaim({ nodePoolUid: 'uid-pool' })).metadata.ownerReferences).toMatchObject([
    { kind: 'NodePool', name: 'general', uid: 'uid-pool', blockOwnerDeletion: true },
  ]);
  expect(mirrorOf(aClaim()).metadata).not.toHaveProperty('ownerReferences');
});

test('an object shows its record where instance, node and conditions agree', () => {
  const registered = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS });
  expect(isShownBy(registered, mirrorOf(registered))).toBe(true);
  expect(isShownBy(registered, mirrorOf(launchedClaim()))).toBe(false);
  expect(isShownBy(registered, undefined)).toBe(false);
});

test('it is Ready when it is launched, registered and initialized (A2.5)', () => {
  expect(conditions(aClaim())).toEqual({
    Launched: 'Unknown',
    Registered: 'Unknown',
    Initialized: 'Unknown',
    Ready: 'Unknown',
  });
  const ready = launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS + SECOND });
  expect(conditions(ready)).toEqual({ Launched: 'True', Registered: 'True', Initialized: 'True', Ready: 'True' });
});

test('it says what EC2 objected to, in at most 300 characters, as long as that stands (D3)', () => {
  const refused = aClaim({ launch: { kind: 'refused', attempt: 1, message: 'x'.repeat(400), atMs: NOW_MS } });
  expect(mirrorOf(refused).status?.conditions?.[0]).toMatchObject({
    type: 'Launched',
    status: 'Unknown',
    reason: 'LaunchFailed',
    message: 'x'.repeat(300),
  });
  expect(isShownBy(refused, mirrorOf(aClaim()))).toBe(false);
  expect(isShownBy(refused, mirrorOf(refused))).toBe(true);
});

test('launched, it names its instance and its capacity (A2.4)', () => {
  expect(mirrorOf(aClaim()).status).not.toHaveProperty('providerID');
  expect(mirrorOf(launchedClaim()).status).toMatchObject({
    providerID: 'aws:///eu-west-3a/i-1',
    imageID: 'ami-amd64',
    capacity: { cpu: '2', memory: '8Gi', pods: '29' },
  });
});

test.each([
  ['aws:///eu-west-3a/i-0abc', 'i-0abc'],
  ['aws:///eu-west-3a/fargate-1', undefined],
  ['gce://project/zone/vm', undefined],
  [undefined, undefined],
])('the instance of %s is %s', (providerId, id) => {
  expect(instanceIdOf(providerId)).toBe(id);
});
