import { expect, test } from 'vitest';
import type { Action, Blocked, Controller } from '../../../lib/core/model/decision.ts';
import { decisionOn } from '../../../lib/core/model/decision-id.ts';

const DELETE: Action = { kind: 'delete-node-claim', nodeClaim: 'a', reason: 'unhealthy', message: 'broken' };
const CLAIM = { kind: 'NodeClaim', name: 'a' } as const;
const REFUSAL: Blocked = { subject: CLAIM, reason: 'NodeNotInitialized', message: 'not Ready', numbers: { s: 1 } };

interface Made {
  readonly name?: string;
  readonly version?: number;
  readonly controller?: Controller;
  readonly actions?: readonly Action[];
  readonly blocked?: readonly Blocked[];
}

function idOf({ name = 'a', version = 3, controller = 'lifecycle', actions = [], blocked = [] }: Made): string {
  return decisionOn({ name, version }, { controller, cluster: 'demo', atMs: 1 }, { actions, blocked }).id;
}

test('a decision is named after its function, its object, the version, and what is done', () => {
  expect(idOf({ actions: [DELETE] })).toMatch(/^lifecycle-a-v3-[a-z2-7]{6}$/);
});

test('the same verdict on the same version has the same name, whatever its figures and times', () => {
  const later: Blocked = { ...REFUSAL, message: 'not Ready for 20 s', numbers: { s: 20 } };
  expect(idOf({ blocked: [later] })).toBe(idOf({ blocked: [REFUSAL] }));
  expect(idOf({ actions: [{ ...DELETE, deadlineMs: 5 }] })).toBe(idOf({ actions: [{ ...DELETE, deadlineMs: 9 }] }));
});

test.each<[string, Made]>([
  ['another function', { controller: 'termination', actions: [DELETE] }],
  ['another object', { name: 'b', actions: [DELETE] }],
  ['another version', { version: 4, actions: [DELETE] }],
  ['another action', { actions: [{ ...DELETE, reason: 'drifted' }] }],
  ['a refusal beside it', { actions: [DELETE], blocked: [REFUSAL] }],
])('%s makes another name', (_, made) => {
  expect(idOf(made)).not.toBe(idOf({ actions: [DELETE] }));
});

test('a refusal of another object makes another name', () => {
  const other: Blocked = { ...REFUSAL, subject: { kind: 'NodeClaim', name: 'b' } };
  expect(idOf({ blocked: [other] })).not.toBe(idOf({ blocked: [REFUSAL] }));
});
