import { describe, expect, test } from 'vitest';
import type { Action } from '../../../lib/core/model/decision.ts';
import { type CutOff, type PortCall, withFaults } from '../../../lib/simulator/faults.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { samples } from '../../samples.ts';
import type { EFFECT_OF_REPLACING } from '../disruption/replacing.ts';
import { expectAllGone, expectOneClaimAPod, expectOneInstanceAClaim, live } from '../life.ts';

/** These kinds occur only where a command replaces nodes: `test/controllers/disruption/cut-off.test.ts`. */
type Elsewhere = keyof typeof EFFECT_OF_REPLACING;

/** The port call in which each kind of action takes effect. The compiler requires an entry for a new kind. */
const EFFECT: Record<Exclude<Action['kind'], Elsewhere>, (call: PortCall) => boolean> = {
  'create-node-claim': ({ method }) => method === 'store.createNodeClaim',
  'nominate-node': ({ method }) => method === 'store.nominate',
  'launch-instance': ({ method }) => method === 'cloud.launch',
  'register-node': (call) => isPatch(call, 'karpenter.sh/registered'),
  'initialize-node': (call) => isPatch(call, 'karpenter.sh/initialized'),
  'cordon-node': (call) => isPatch(call, 'karpenter.sh/disrupted'),
  'start-disruption': ({ method }) => method === 'store.startCommand',
  'end-disruption': ({ method }) => method === 'store.endCommand',
  'delete-node-claim': ({ method, args }) =>
    method === 'store.updateNodeClaim' && JSON.stringify(args).includes('"deletion"'),
  'evict-pod': ({ method }) => method === 'cluster.evictPod',
  'tag-instance': ({ method }) => method === 'cloud.tagInstance',
  'terminate-instance': ({ method }) => method === 'cloud.terminate',
  'release-node-claim': ({ method }) => method === 'cluster.removeNodeClaim',
  'learn-memory': ({ method }) => method === 'catalogue.learnMemory',
  'mark-unavailable': ({ method }) => method === 'catalogue.markUnavailable',
};

function isPatch({ method, args }: PortCall, word: string): boolean {
  return method === 'cluster.patchNode' && JSON.stringify(args[1]).includes(word);
}

function under(cutOff: (call: PortCall) => CutOff | undefined): Partial<SimulationInput> {
  return { wrapPorts: (ports) => withFaults(ports, cutOff) };
}

describe('a controller that is interrupted', () => {
  const clean = live();

  test('the scenario of the next tests has every kind of action', async () => {
    const kinds = new Set((await clean).timeline.flatMap((entry) => ('decision' in entry ? [entry.kind] : [])));
    expect([...kinds].toSorted()).toEqual(Object.keys(EFFECT).toSorted());
    expectAllGone(await clean);
  });

  for (const [kind, isEffect] of Object.entries(EFFECT)) {
    for (const where of ['before', 'after'] as const) {
      test(`${where} the effect of ${kind} launches nothing twice, loses no pod and leaks no instance`, async () => {
        let calls = 0;
        const result = await live(under((call) => (isEffect(call) && ++calls === 1 ? where : undefined)));
        expect(calls, 'the fault was injected').toBeGreaterThan(0);
        expectOneInstanceAClaim(result);
        expectOneClaimAPod(result);
        expectAllGone(result);
      });
    }
  }

  test('at port calls over the whole scenario launches nothing twice and leaks nothing', async () => {
    let total = 0;
    await live(under(() => void (total += 1)));
    for (let at = 1; at <= total; at += Math.ceil(total / samples(30, 6))) {
      let calls = 0;
      const result = await live(under(() => (++calls === at ? (at % 2 === 0 ? 'before' : 'after') : undefined)));
      expectOneInstanceAClaim(result);
      expectAllGone(result);
    }
  });
});
