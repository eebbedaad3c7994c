import { describe, expect, test } from 'vitest';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { deletionOf, viewOf } from '../../builders/claim-view.ts';
import { claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

describe('D5: a node with the label of the registration and the unregistered taint', () => {
  const spec = claimSpec({
    taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
    startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
  });
  const { taints = [], startupTaints = [] } = spec;
  const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;
  const registered = { 'karpenter.sh/registered': 'true' };

  test('is registered as one without the label', () => {
    const [labelled, plain] = [registered, {}].map((labels) =>
      decideLifecycle(viewOf(launchedClaim({ spec }), { node: aNode({ labels, taints: [unregistered] }) }), NOW_MS),
    );
    expect(labelled).toEqual(plain);
    const patch = { taints: [...taints, ...startupTaints], finalizers: ['karpenter.sh/termination'] };
    expect(labelled?.actions).toMatchObject([{ kind: 'register-node', patch }]);
  });

  test('is replaced if it could not be registered for 15 minutes (D8)', () => {
    const view = viewOf(launchedClaim(), { node: aNode({ labels: registered, taints: [unregistered] }) });
    expect(deletionOf(view, NOW_MS + 15 * MINUTE)).toBe('registration_timeout');
  });

  test('loses the taint and gets no startup taints if it was initialized before', () => {
    const labels = { ...registered, 'karpenter.sh/initialized': 'true' };
    const known = { nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, initializedAtMs: NOW_MS - HOUR };
    const node = aNode({ labels, taints: [...taints, unregistered] });
    const { actions } = decideLifecycle(viewOf(launchedClaim({ spec, ...known }), { node }), NOW_MS);
    expect(actions).toMatchObject([{ kind: 'register-node', patch: { taints } }]);
  });
});
