import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { lastAutoscalers } from '../../../lib/controllers/act/last-autoscalers.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { guarded } from '../../../lib/controllers/run/guard.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { AutoscalerTraces } from '../../../lib/core/cluster/other-autoscalers.ts';
import type { Controller } from '../../../lib/core/model/decision.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import { KARPENTER_TRACES, OWN_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { UNUSED } from '../../operator/messages.ts';

const CLUSTER = 'demo';

/** A process of a function, whose cluster answers with these traces, or does not answer. */
function process() {
  const store = memoryNodeClaimStore();
  const memory = { autoscalers: lastAutoscalers(), refusals: reportedRefusals() };
  return {
    store,
    run: async (controller: Controller, nowMs: number, traces?: AutoscalerTraces) => {
      const findOtherAutoscalers = async (): Promise<AutoscalerTraces> =>
        traces ?? (await Promise.reject(new UnreachableError('no answer')));
      const own = {
        cluster: { findOtherAutoscalers, listAutoModePools: async () => [] },
        cloud: { autoMode: async () => false },
        store,
        messages: { publish: async () => {} },
        clock: { now: () => nowMs },
        settings: DEFAULT_SETTINGS,
        ...memory,
      };
      const ports: ControllerPorts = Object.create(UNUSED, Object.getOwnPropertyDescriptors(own));
      let ran = false;
      const reconcile = guarded(controller, async () => {
        ran = true;
        return aRunReport({ controller, cluster: CLUSTER });
      });
      const { failures } = await reconcile(ports, { cluster: CLUSTER, reason: 'tick' });
      return { ran, failures: failures.map(({ message }) => message) };
    },
  };
}

describe('while the cluster does not answer whether another autoscaler runs', () => {
  test('the last answer is used for five minutes, and reported', async () => {
    const { run } = process();
    await run('provisioning', NOW_MS, OWN_TRACES);
    expect(await run('provisioning', NOW_MS + 5 * MINUTE_MS)).toEqual({
      ran: true,
      failures: ['failed to check for other autoscalers, so the answer of 300 s before is used: no answer'],
    });
    await expect(run('provisioning', NOW_MS + 5 * MINUTE_MS + 1)).rejects.toThrow('no answer');
  });

  test('Karpenter counts as active for as long, although its lease would have expired', async () => {
    const { run } = process();
    expect(await run('disruption', NOW_MS, KARPENTER_TRACES)).toMatchObject({ ran: false });
    for (const minutes of [1, 5])
      expect(await run('disruption', NOW_MS + minutes * MINUTE_MS)).toMatchObject({ ran: false });
  });

  test('a run waits if another function has found another autoscaler', async () => {
    const { run, store } = process();
    await run('lifecycle', NOW_MS, OWN_TRACES);
    await store.setStandby(CLUSTER, NOW_MS + 2 * MINUTE_MS);
    for (const controller of ['lifecycle', 'termination'] as const)
      await expect(run(controller, NOW_MS + MINUTE_MS)).rejects.toThrow('Kerf was on standby a moment ago');
  });

  test('without any answer, only termination runs: it ends what Kerf has deleted', async () => {
    expect(await process().run('termination', NOW_MS)).toEqual({
      ran: true,
      failures: ['failed to check for other autoscalers: no answer'],
    });
    for (const controller of ['provisioning', 'lifecycle', 'disruption'] as const)
      await expect(process().run(controller, NOW_MS)).rejects.toThrow('no answer');
  });
});
