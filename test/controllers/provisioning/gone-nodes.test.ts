import { expect, test } from 'vitest';
import { readings } from '../../../lib/controllers/observe/readings.ts';
import { goneNodes } from '../../../lib/controllers/provisioning/gone-nodes.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { pendingPod } from '../../builders/pods.ts';
import { initializedNode } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { clusterWith } from '../../simulator/kubernetes/cluster-with.ts';

const deletion = { reason: 'expired', message: '', requestedAtMs: NOW_MS } as const;
const RECORDS = [
  launchedClaim({ name: 'a', nodeName: 'starting' }),
  launchedClaim({ name: 'b', expectedNodeName: 'named' }),
  launchedClaim({ name: 'c', nodeName: 'removed', deletion }),
];

/** The nodes that are gone, and those that were read. */
async function goneOf(names: readonly string[], answers = true) {
  const pods = names.map((nominatedNodeName, index) => {
    const pod = pendingPod({ name: `web-${index}`, status: { nominatedNodeName } });
    return { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager: 'kerf', subresource: 'status' }] } };
  });
  const { node } = initializedNode({ name: 'of-others' });
  const cluster = simulatedCluster(clusterWith({ nodes: [node], pods }), { now: () => NOW_MS });
  const asked: string[] = [];
  const readNode = async (name: string) => {
    asked.push(name);
    if (!answers) throw new UnreachableError('no answer');
    return cluster.readNode(name);
  };
  const log = readings();
  const gone = await goneNodes({ cluster: { ...cluster, readNode } }, { pods, records: RECORDS }, log);
  return { gone: [...gone].toSorted(), asked, failures: [...log.failures.keys()] };
}

test('B66: a nominated node is gone if its NodeClaim is deleted, or if neither a NodeClaim nor the cluster has it', async () => {
  const names = ['starting', 'named', 'removed', 'of-others', 'deleted', 'deleted'];
  expect(await goneOf(names)).toEqual({
    gone: ['deleted', 'removed'],
    asked: ['of-others', 'deleted'],
    failures: [],
  });
});

test('B66: a nominated node that cannot be read may exist, and the failure is reported', async () => {
  expect(await goneOf(['removed', 'deleted'], false)).toEqual({
    gone: ['removed'],
    asked: ['deleted'],
    failures: ['node deleted'],
  });
});
