import { expect, test } from 'vitest';
import { isListEnough } from '../../../lib/core/node-claim/earlier-list.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

const LIST = { atMs: NOW_MS, instances: [{ id: 'i-1' }] };
const JOINED = launchedClaim({ nodeName: 'node-1' });
const NAMED = launchedClaim({ expectedNodeName: 'node-1' });
const DELETION = { reason: 'empty', message: '', requestedAtMs: NOW_MS } as const;
const UNTAGGED = { sinceMs: NOW_MS, finding: { reason: 'InstanceNotTagged', message: '' } } as const;
const UNKNOWN = { kind: 'refused', attempt: 1, atMs: NOW_MS, message: '', excluded: [], unknown: true } as const;
const REQUESTED = { kind: 'requested', attempt: 1, request: aLaunchRequest(), atMs: NOW_MS } as const;

test.each([
  ['nothing', [], true],
  ['a node that has joined', [JOINED], true],
  ['a node that joins under a known name', [NAMED], true],
  ['a node without a name', [launchedClaim()], false],
  ['an instance that the list does not have', [JOINED, launchedClaim({ nodeName: 'node-2' }, { id: 'i-2' })], false],
  ['an instance that termination ends', [launchedClaim({ deletion: DELETION }, { id: 'i-2' })], true],
  ['an instance that had lost its tags', [launchedClaim({ nodeName: 'node-1', consistency: UNTAGGED })], false],
  ['a claim that is not launched', [JOINED, aClaim()], false],
  ['a launch whose outcome is not known', [aClaim({ launch: REQUESTED })], false],
  ['such a launch of a deleted claim', [aClaim({ launch: REQUESTED, deletion: DELETION })], false],
  ['a launch that was given up with an unknown outcome', [aClaim({ launch: UNKNOWN })], false],
])('whether an earlier list is enough for %s (promise 1)', (_, records, expected) => {
  expect(isListEnough(LIST, records, NOW_MS + MINUTE - 1)).toBe(expected);
});

test('an earlier list is used for a minute', () => {
  expect(isListEnough(LIST, [JOINED], NOW_MS + MINUTE - 1)).toBe(true);
  expect(isListEnough(LIST, [JOINED], NOW_MS + MINUTE)).toBe(false);
});
