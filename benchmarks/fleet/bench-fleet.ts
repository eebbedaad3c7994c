/**
 * Counts the calls of a burst: `npm run bench:fleet -- [--nodes 834,3300]`. Pods of 40 Deployments arrive at once in a simulated cluster
 * without nodes, and the account has EC2's default limits for CreateFleet. Prints for each size the calls that launch and tag the nodes,
 * the writes of the table, and when the last instance was launched. Fails if there are more than 60 calls of CreateFleet for each 834
 * nodes, if a claim is given up, or if a function fails.
 */

import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { fullBucket, takeTokens } from '../../lib/core/call-budget/token-bucket.ts';
import type { LaunchAdmission } from '../../lib/ports/cloud-provider.ts';
import { ec2CallLimits } from '../../lib/providers/aws/client/ec2-call-limits.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { scriptOptions } from '../../scripts/script-options.ts';
import { manyNodes } from '../simulate/simulated-cases.ts';

const { values } = scriptOptions({ options: { nodes: { type: 'string', default: '834,3300' } } });
const LIMITS = ec2CallLimits('CreateFleet');
/** The budget of all functions. */
let bucket = fullBucket(LIMITS, 0);
/** For each 834 nodes. */
const MAX_CALLS = 60;

for (const nodes of values.nodes.split(',').map(Number)) await report(nodes);

async function report(wanted: number): Promise<void> {
  const count = { fleets: 0, claims: 0, waits: 0, tags: 0, creations: 0, writes: 0, transactions: 0, lastMs: 0 };
  const simulation = openSimulation({ ...manyNodes(wanted), wrapPorts: (ports) => counted(ports, count) });
  const startMs = simulation.timetable.now();
  let [failed, deleted] = [0, 0];
  let ended = await simulation.step();
  for (; ended === undefined; ended = await simulation.step())
    for (const entry of simulation.timeline.take()) {
      if (entry.kind === 'function-failed') failed += 1;
      if (entry.kind === 'delete-node-claim') deleted += 1;
    }
  const { nodesAtPeak, pendingToRunningSeconds: pods } = simulation.summary(ended);
  const isMissed = count.fleets > (MAX_CALLS * nodesAtPeak) / 834 || failed + deleted > 0;
  if (isMissed) process.exitCode = 1;
  console.log(
    `${isMissed ? 'MISSED' : 'ok'}: ${nodesAtPeak} nodes for ${pods.pods} pods: ${count.fleets} CreateFleet (${count.waits} waited), ` +
      `${count.tags} CreateTags (names of claims ${count.claims}), ${count.creations} records created, ${count.writes} written, ` +
      `${count.transactions} written in transactions of groups; last launch after ${((count.lastMs - startMs) / 1_000).toFixed(0)} s, ` +
      `pods running after ${pods.median} s (median) and ${pods.max} s (last); ${failed} failures, ${deleted} claims deleted`,
  );
}

type Count = Record<
  'fleets' | 'claims' | 'waits' | 'tags' | 'creations' | 'writes' | 'transactions' | 'lastMs',
  number
>;

function counted(ports: ControllerPorts, count: Count): ControllerPorts {
  const { cloud, store, clock } = ports;
  return {
    ...ports,
    cloud: {
      ...cloud,
      async admitLaunch(): Promise<LaunchAdmission> {
        const { bucket: left, atMs, nextAtMs } = takeTokens(bucket, LIMITS, { atMost: 1, nowMs: clock.now() });
        bucket = left;
        if (atMs.length > 0) return { kind: 'admitted' };
        count.waits += 1;
        return { kind: 'wait', untilMs: nextAtMs };
      },
      async launch(request) {
        count.fleets += 1;
        count.lastMs = clock.now();
        return cloud.launch(request);
      },
      async nameInstances(cluster, names) {
        count.tags += names.length;
        count.claims += names.length;
        await cloud.nameInstances(cluster, names);
      },
      async tagInstance(cluster, id, tags) {
        count.tags += 1;
        await cloud.tagInstance(cluster, id, tags);
      },
    },
    store: {
      ...store,
      async createNodeClaim(record) {
        count.creations += 1;
        await store.createNodeClaim(record);
      },
      async updateNodeClaim(record) {
        count.writes += 1;
        return store.updateNodeClaim(record);
      },
      async updateNodeClaims(records) {
        count.transactions += records.length;
        return store.updateNodeClaims(records);
      },
    },
  };
}
