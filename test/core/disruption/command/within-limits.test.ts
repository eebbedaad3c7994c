import { expect, test } from 'vitest';
import { withinLimits } from '../../../../lib/core/disruption/command/within-limits.ts';
import type { Move } from '../../../../lib/core/disruption/method.ts';
import { passOver } from '../../../../lib/core/disruption/pass.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';

test('a replacement reserves the largest of the types that EC2 may choose: no bare metal beside another type (promise 2, C39)', () => {
  const types = [anInstanceType(), anInstanceType({ name: 'm5.metal', cpu: 96 })];
  const snapshot = snapshotOf([initializedNode({ name: 'a' })], {
    nodePools: [aPoolView({ limits: { cpu: '100' }, types })],
    pods: [runningPod('a')],
  });
  const pass = passOver(snapshot, { nowMs: NOW_MS });
  const [claim] = pass.worldBeside([]).whatIf(['a']).newClaims;
  expect(claim?.instanceTypes.map(({ name }) => name)).toContain('m5.metal');
  const move: Move = { candidates: [], replacements: claim === undefined ? [] : [claim] };
  expect(withinLimits([move, move, move], pass).moves).toHaveLength(3);
});
