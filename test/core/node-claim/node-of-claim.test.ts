import { describe, expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { nodeOfClaim } from '../../../lib/core/node-claim/registration.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNode, type NodeOptions } from '../../builders/nodes.ts';

const PROVIDER_ID = 'aws:///eu-west-3a/i-1';
const REGISTERED = { labels: { 'karpenter.sh/registered': 'true' } };

/** The name of the Node of the claim, with `a` before `b` in the list and after it. */
function chosen(record: NodeClaimRecord, a: NodeOptions, b: NodeOptions): readonly (string | undefined)[] {
  const both = [
    aNode({ name: 'a', providerId: PROVIDER_ID, ...a }),
    aNode({ name: 'b', providerId: PROVIDER_ID, ...b }),
  ];
  return [both, both.toReversed()].map((nodes) => nodeOfClaim(nodes, record)?.metadata.name);
}

describe('D5: of two Nodes with the provider ID of its instance, the Node of a claim is', () => {
  const named = launchedClaim({ nodeName: 'a' });
  test.each<[string, NodeClaimRecord, NodeOptions, NodeOptions]>([
    [
      'the one that the record names, also if the other one is registered and Ready',
      named,
      { ready: false },
      REGISTERED,
    ],
    ['or else a registered one', launchedClaim(), { ...REGISTERED, ready: false }, {}],
    ['or else one that is Ready', launchedClaim(), {}, { ready: false }],
    [
      'and a Node of another instance is not, although the record names it',
      launchedClaim({ nodeName: 'b' }),
      {},
      { providerId: 'aws:///eu-west-3a/i-2' },
    ],
  ])('%s', (...[, record, a, b]) => {
    expect(chosen(record, a, b)).toEqual(['a', 'a']);
  });

  test('or else the first in the list', () => {
    expect(chosen(launchedClaim(), {}, {})).toEqual(['a', 'b']);
  });
});

test('a claim without an instance has no Node, also if a Node has no provider ID', () => {
  expect(nodeOfClaim([aNode()], aClaim())).toBeUndefined();
});
