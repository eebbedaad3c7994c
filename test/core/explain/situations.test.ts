import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../lib/apis/formats/time.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import type { DecidedOn } from '../../../lib/core/decisions/decided-on.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import { whyAt } from '../../../lib/core/decisions/why-at.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import { whyNode } from '../../../lib/core/explain/why-node.ts';
import { whyPod } from '../../../lib/core/explain/why-pod.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { decidedText } from '../../../lib/snapshot/write-snapshot.ts';
import { aSnapshot, initializedNode } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { PENDING_BY_OTHERS } from './more-situations.ts';
import { KEPT, PENDING } from './situations.ts';

/** The decision of the function, as its text and its record have it. */
function decided(controller: 'provisioning' | 'disruption', snapshot: ClusterSnapshot) {
  const context = { decisionId: 'decision-1', nowMs: NOW_MS };
  const verdict = controller === 'provisioning' ? provision(snapshot, context) : disrupt(snapshot, context);
  const { actions, blocked, onExistingNodes = [] } = verdict;
  const made = { actions, blocked, onExistingNodes };
  const decision = { id: 'decision-1', cluster: 'demo', controller, atMs: NOW_MS, ...made };
  const on: DecidedOn = { controller, snapshot, context, verdict, decisions: [decision] };
  const text = decidedText(on);
  const run = { cluster: 'demo', controller, wokenBy: 'tick', decisions: [decision], durationMs: 1, version: 'test' };
  const record: DecisionRecord = JSON.parse(JSON.stringify(recordOfRun({ ...run, snapshot }, blocked)));
  return { record, live: readSnapshot({ readText: () => text }, { path: 'a', nowMs: NOW_MS }).snapshot };
}

describe.each([...PENDING, ...PENDING_BY_OTHERS])(
  'a pod is pending because $title',
  ({ snapshot, reason, message }) => {
    const { record, live } = decided('provisioning', snapshot);
    test('now', () => {
      const pod = live.pods.find(({ metadata }) => metadata.name === 'asked');
      if (pod === undefined) throw new TypeError('no pod');
      const { state, reasons } = whyPod(live, pod, NOW_MS);
      expect(state).toBe('Unschedulable');
      expect(reasons).toContainEqual(expect.objectContaining({ reason, message: expect.stringMatching(message) }));
    });
    test('a day later', () => {
      const told = whyAt([record], { kind: 'pod', name: 'default/asked' }, NOW_MS + DAY_MS);
      expect(told?.state).toBe('Unschedulable');
      expect(told?.reasons).toContainEqual(
        expect.objectContaining({ reason, message: expect.stringMatching(message) }),
      );
    });
  },
);

describe.each(KEPT)('a node stays because $title', ({ snapshot, reason, message }) => {
  const { record, live } = decided('disruption', snapshot);
  test('now', () => {
    const stateNode = stateNodes(live).find(({ name }) => name === 'asked');
    if (stateNode === undefined) throw new TypeError('no node');
    const plan = planDisruption(ALL_METHODS, live, NOW_MS);
    const { state, reasons } = whyNode(stateNode, { snapshot: live, plan, nowMs: NOW_MS });
    expect(state).toBe('Stays');
    expect(reasons).toContainEqual(expect.objectContaining({ reason, message: expect.stringMatching(message) }));
  });
  test('a day later', () => {
    const told = whyAt([record], { kind: 'node', name: 'asked' }, NOW_MS + DAY_MS);
    expect(told?.reasons).toContainEqual(expect.objectContaining({ reason, message: expect.stringMatching(message) }));
  });
});

test('a node of which only consolidateAfter is true has no recorded refusal, and the answer says so', () => {
  const [{ nodeClaim, node }] = [initializedNode({ name: 'asked' })];
  const action = { kind: 'initialize-node', nodeClaims: [nodeClaim.name], nodes: [node.metadata.name] } as const;
  const record = { ...decided('disruption', aSnapshot()).record, actions: [action] };
  const told = whyAt([record], { kind: 'node', name: 'asked' }, NOW_MS + DAY_MS);
  expect(told?.state).toBe('Stays');
  expect(told?.summary).toMatch(/no refusal is recorded since then: consolidateAfter had not passed/);
});
