import { expect, test } from 'vitest';
import { provisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { renderProvisioning } from '../../../lib/cli/plan/render-provisioning.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

test('a plan without a lower bound says that it is not computed, and its JSON has none', () => {
  const snapshot = aSnapshot({ pods: [pendingPod()], nodePools: [aPoolView()] });
  const verdict = provision(snapshot, { decisionId: 'd', nowMs: NOW_MS });
  const plan = { ...verdict, price: { usdPerHour: 0.02 } };
  expect(renderProvisioning(plan, { columns: 120, color: false })).toContain('Lower bound not computed');
  const output = provisioningOutput(plan, { durationMs: 1, notes: [] });
  expect(output).not.toHaveProperty('lowerBoundHourlyPrice');
  expect(output).not.toHaveProperty('gapPercent');
  expect(provisioningOutput(verdict, { durationMs: 1, notes: [] })).toHaveProperty('gapPercent');
});
