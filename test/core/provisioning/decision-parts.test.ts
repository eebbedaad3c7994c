import { describe, expect, test } from 'vitest';
import { optional } from '../../../lib/apis/optional.ts';
import type { Action, Decision } from '../../../lib/core/model/decision.ts';
import { decisionParts, MAX_CLAIMS_PER_PART } from '../../../lib/core/provisioning/decision-parts.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { aDecision, aReplacingCommand } from '../../builders/decisions.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod, pendingPods } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';

/** A decision with this many new claims, one nomination and one unschedulable pod. */
function decisionOf(claims: number): Decision {
  const pods = [
    ...pendingPods(claims, { requests: { cpu: '5' } }),
    pendingPod({ name: 'small' }),
    pendingPod({ name: 'large', requests: { cpu: '99' } }),
  ];
  const {
    actions,
    blocked,
    onExistingNodes = [],
    price,
  } = provision(aSnapshot({ nodes: [aNode()], pods }), {
    decisionId: 'decision-1',
    nowMs: NOW_MS,
  });
  return aDecision({ actions, blocked, onExistingNodes, ...optional({ price }) });
}

function claimsOf({ actions }: Decision) {
  return actions.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim] : []));
}

/** Commands with this many replacements each. */
const replacing = (...counts: readonly number[]): readonly Action[] =>
  counts.flatMap((count, at): Action[] => {
    const command = `command-${at}`;
    const claims = Array.from({ length: count }, (_, index) => aRecord({ name: `claim-${at}-${index}` }));
    return [
      { kind: 'continue-disruption', command: aReplacingCommand({ id: command }) },
      ...claims.map((nodeClaim): Action => ({ kind: 'create-node-claim', nodeClaim: { ...nodeClaim, command } })),
    ];
  });

const commandsOf = (part: Decision): readonly unknown[] => [
  part.actions.flatMap((one) => (one.kind === 'continue-disruption' ? [one.command.id] : [])),
  claimsOf(part).length,
];

describe('a decision is recorded in parts', () => {
  test('one, if its claims fit', () => {
    const decision = decisionOf(MAX_CLAIMS_PER_PART);
    expect(decisionParts(decision)).toEqual([decision]);
  });

  test('each with at most 50 claims, in the order of the decision', () => {
    const decision = decisionOf(120);
    const parts = decisionParts(decision);
    expect(parts.map((part) => claimsOf(part).length)).toEqual([50, 50, 20]);
    expect(parts.flatMap(claimsOf).map(({ name }) => name)).toEqual(claimsOf(decision).map(({ name }) => name));
  });

  test('the first has the ID of the decision, and everything except new claims', () => {
    const decision = decisionOf(120);
    const [first, ...others] = decisionParts(decision);
    expect(first).toMatchObject({ id: 'decision-1', blocked: decision.blocked });
    expect(first?.onExistingNodes).toEqual(decision.onExistingNodes);
    expect(first?.actions.filter(({ kind }) => kind === 'nominate-node')).toHaveLength(1);
    for (const other of others) expect(other).toMatchObject({ blocked: [] });
    expect(others.flatMap(({ actions }) => actions).every(({ kind }) => kind === 'create-node-claim')).toBe(true);
    expect(first?.price).toEqual(decision.price);
    expect(first?.price?.usdPerHour).toBeGreaterThan(0);
    expect(others.some(({ onExistingNodes, price }) => onExistingNodes !== undefined || price !== undefined)).toBe(
      false,
    );
  });

  test('E33: a command is continued before its replacements are created, in the same part', () => {
    const actions = Array.from({ length: 60 }, (_, at): Action[] => [
      { kind: 'continue-disruption', command: aReplacingCommand({ id: `command-${at}` }) },
      { kind: 'create-node-claim', nodeClaim: { ...aRecord({ name: `claim-${at}` }), command: `command-${at}` } },
    ]).flat();
    const deletion: Action = { kind: 'delete-node-claim', nodeClaim: 'old', reason: 'drifted', message: '' };
    const parts = decisionParts(aDecision({ actions: [deletion, ...actions] }));
    const shown = parts.map((part) =>
      part.actions.map((one) => (one.kind === 'continue-disruption' ? one.command.id : one.kind)),
    );
    const steps = Array.from({ length: 60 }, (_, at) => [`command-${at}`, 'create-node-claim']);
    expect(shown).toEqual([['delete-node-claim', ...steps.slice(0, 50).flat()], steps.slice(50).flat()]);
  });

  test('E33: all replacements of a command are in its part', () => {
    const parts = decisionParts(aDecision({ actions: replacing(30, 19, 2, 49, 1) }));
    expect(parts.map(commandsOf)).toEqual([
      [['command-0', 'command-1'], 49],
      [['command-2'], 2],
      [['command-3', 'command-4'], 50],
    ]);
    for (const part of parts)
      expect(new Set(claimsOf(part).map(({ command }) => command))).toEqual(
        new Set(part.actions.flatMap((one) => (one.kind === 'continue-disruption' ? [one.command.id] : []))),
      );
  });

  test('E33: a command with more than 50 replacements is one part', () => {
    const parts = decisionParts(aDecision({ actions: replacing(1, 60, 1) }));
    expect(parts.map(commandsOf)).toEqual([
      [['command-0'], 1],
      [['command-1'], 60],
      [['command-2'], 1],
    ]);
  });

  test('a claim has the ID of the part that records it', () => {
    for (const part of decisionParts(decisionOf(120))) {
      expect(new Set(claimsOf(part).map(({ decisionId }) => decisionId))).toEqual(new Set([part.id]));
    }
  });
});
