import { expect, test } from 'vitest';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { decidedText, snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { aTemplate } from '../builders/launch-templates.ts';
import { aClaim, aLaunchRequest } from '../builders/node-claims.ts';
import { aNodeClass, aPoolView } from '../builders/node-pools.ts';
import { aPod } from '../builders/pods.ts';
import { aSnapshot } from '../builders/snapshots.ts';
import { NOW_MS } from '../builders/times.ts';

const SECRET = 'a-secret-value';

const request = aLaunchRequest({ templates: [aTemplate()] });
const nodeClass = aNodeClass();
const pod = aPod();
const container = {
  env: [{ name: 'TOKEN', value: SECRET }],
  args: [SECRET],
  command: [SECRET],
  envFrom: [{ prefix: SECRET }],
};
const snapshot = aSnapshot({
  nodePools: [{ ...aPoolView(), nodeClass: { ...nodeClass, spec: { ...nodeClass.spec, userData: SECRET } } }],
  nodeClaims: [
    aClaim({
      launch: {
        kind: 'requested',
        attempt: 1,
        atMs: NOW_MS,
        request: { ...request, templates: request.templates.map((one) => ({ ...one, userData: SECRET })) },
      },
    }),
  ],
  pods: [
    {
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': SECRET, kept: 'yes' },
      },
      spec: {
        ...pod.spec,
        containers: pod.spec.containers?.map((one) => ({ ...one, ...container })) ?? [],
        initContainers: [{ name: 'init', ...container }],
      },
    },
  ],
});

test('a snapshot has no user data, environment variables, commands, arguments or manifests of kubectl', () => {
  expect(request.templates.length).toBeGreaterThan(0);
  const verdict = { actions: [], blocked: [], due: [] };
  const context = { decisionId: 'a', nowMs: NOW_MS };
  const decided = decidedText({ controller: 'provisioning', snapshot, context, verdict, decisions: [] });
  for (const text of [snapshotText(snapshot, NOW_MS), decided]) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain('"kept":"yes"');
    const read = readSnapshot({ readText: () => text }, { path: 'a.json', nowMs: 0 });
    expect(read.snapshot.pods[0]?.spec.containers).toEqual(pod.spec.containers);
  }
});
