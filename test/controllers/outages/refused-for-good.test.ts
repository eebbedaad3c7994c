import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { isRecord, ownField } from '../../../lib/apis/record.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

interface Refusal {
  /** Refused for ever for the first object for which it is called. */
  readonly method: string;
  /** The only failure that reports it. */
  readonly reported: RegExp;
}

/** What one refused object reports while three nodes are launched for three pods. */
const CASES: Readonly<Record<string, Refusal>> = {
  'every patch of a node': { method: 'cluster.patchNode', reported: /^general-\w+: register-node i-\S+: denied$/ },
  'the object of a NodeClaim': { method: 'cluster.applyNodeClaim', reported: /^show NodeClaim general-\w+: denied$/ },
  'every launch of a claim': { method: 'cloud.launch', reported: /^general-\w+: launch-instance general-\w+: denied$/ },
  'every write of a record': {
    method: 'store.updateNodeClaim',
    reported: /^write the record of NodeClaim general-\w+: denied$/,
  },
};

/** The name of the object of a call. */
function objectOf({ args: [first] }: PortCall): string {
  if (!isRecord(first)) return String(first);
  const name = ownField(ownField(first, 'metadata'), 'name') ?? ownField(first, 'name') ?? ownField(first, 'nodeClaim');
  return String(name);
}

test.each(Object.entries(CASES))(
  '%s is refused for ever: the others run, and it is reported once',
  async (_, refusal) => {
    const failures: string[] = [];
    let refused: string | undefined;
    const result = await live({
      manifests: someManifests({
        nodePools: [
          aPool({
            disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
          }),
        ],
        deployments: [aDeployment('web', 3, '20')],
      }),
      scenario: { name: 'refused for good', events: [] },
      catalogue: SMALL_CATALOGUE,
      durationMs: 5 * MINUTE_MS,
      onFailure: ({ error }) => void failures.push(error instanceof Error ? error.message : String(error)),
      wrapPorts: (ports) =>
        around(ports, async (call, go) => {
          if (call.method !== refusal.method) return go();
          refused ??= objectOf(call);
          if (refused === objectOf(call)) throw new RefusedError('denied');
          return go();
        }),
    });
    expect(refused).toBeDefined();
    const running = result.timeline.filter(({ kind, at }) => kind === 'pod-running' && at < 90);
    expect(running.length, 'pods that run in time').toBeGreaterThanOrEqual(2);
    expect(failures).toEqual([expect.stringMatching(refusal.reported)]);
  },
);
