import { expect, test } from 'vitest';
import type { Action } from '../../../lib/core/model/decision.ts';
import { runLine } from '../../../lib/operator/telemetry/run-line.ts';
import { aCommand, aDecision, aRunReport, candidatesNamed } from '../../builders/decisions.ts';
import { aClaim, aLaunchRequest } from '../../builders/node-claims.ts';

const PODS = ['default/a', 'default/b', 'default/c', 'default/d'];

function lineOf(...actions: readonly Action[]): Readonly<Record<string, unknown>> {
  return runLine(aRunReport({ decisions: [aDecision({ id: 'provisioning-7', actions })] }));
}

test('the line of a run that does nothing has only what it looked at', () => {
  expect(runLine(aRunReport({ gauges: { Nodes: 3 } }))).toEqual({ due: 0, gauges: { Nodes: 3 }, refusals: {} });
});

test('a new node has its decision, its pods, its types and its price', () => {
  const option = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', priceUsdPerHour: 0.04 } as const;
  const options = [option, { ...option, zone: 'eu-west-3b' }, { ...option, instanceType: 'm6i.large' }];
  const nodeClaim = aClaim({ name: 'general-x', pods: PODS, options });
  expect(lineOf({ kind: 'create-node-claim', nodeClaim })).toMatchObject({
    decisions: ['provisioning-7'],
    actionCounts: { 'create-node-claim': 1 },
    actions: [
      {
        kind: 'create-node-claim',
        nodeClaim: 'general-x',
        nodePool: 'general',
        pods: PODS.slice(0, 3),
        podCount: 4,
        instanceTypes: ['m5.large', 'm6i.large'],
        typeCount: 2,
        usdPerHour: 0.04,
      },
    ],
  });
});

test('a disruption has its reason, its nodes, and the price before and after', () => {
  const replacements = [{ nodePool: 'general', instanceTypes: ['m5.large', 'm6i.large'], priceUsdPerHour: 0.05 }];
  const command = aCommand({ reason: 'Underutilized', candidates: candidatesNamed('n1', 'n2'), replacements });
  expect(lineOf({ kind: 'start-disruption', command })).toMatchObject({
    actions: [
      {
        kind: 'start-disruption',
        command: 'command-1',
        reason: 'Underutilized',
        nodes: ['n1', 'n2'],
        nodeCount: 2,
        usdPerHour: 0.2,
        instanceTypes: ['m5.large'],
        replacementUsdPerHour: 0.05,
      },
    ],
  });
});

test('a launch has neither the user data nor the tags of its request', () => {
  const request = aLaunchRequest({ tags: { owner: 'secret-tag' } });
  const line = lineOf({ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 2, request });
  expect(line).toMatchObject({ actions: [{ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 2 }] });
  expect(JSON.stringify(line)).not.toContain('secret-tag');
});

function evict(index: number): Action {
  const pod = { namespace: 'default', name: `web-${index}`, uid: `${index}` };
  return { kind: 'evict-pod', nodeClaim: 'general-1', pod };
}

test('a run with many actions shows the first ten and counts all', () => {
  const line = lineOf(...Array.from({ length: 300 }, (_, index) => evict(index)));
  expect(line).toMatchObject({ actionCounts: { 'evict-pod': 300 } });
  expect(line['actions']).toHaveLength(10);
});

test('refusals are counted by reason, with the first pods of each', () => {
  const refusal = { reason: 'NoInstanceTypes', message: 'none', numbers: {} } as const;
  const blocked = PODS.map((pod) => {
    const [namespace = '', name = ''] = pod.split('/');
    return { ...refusal, subject: { kind: 'Pod', namespace, name } } as const;
  });
  const ofNode = { ...refusal, reason: 'PDB', subject: { kind: 'Node', name: 'n1' } } as const;
  const line = runLine(aRunReport({ decisions: [aDecision({ blocked: [...blocked, ofNode] })] }));
  expect(line).toMatchObject({
    refusals: { NoInstanceTypes: 4, PDB: 1 },
    refusedPods: { NoInstanceTypes: PODS.slice(0, 3) },
  });
  expect(line).not.toHaveProperty('decisions');
});
