import { describe, expect, test } from 'vitest';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import type { ClusterSnapshot, NodePoolView } from '../../../lib/core/model/cluster-snapshot.ts';
import { bufferPods } from '../../../lib/core/provisioning/buffer-pods.ts';
import { snapshotText } from '../../../lib/snapshot/write-snapshot.ts';
import { aCapacityBuffer, aPodTemplate } from '../../builders/capacity-buffers.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { runKerf } from '../run-kerf.ts';

/** `kerf plan provisioning` with manifests applied to a snapshot that Kerf wrote, which has the effects of all other objects. */

const taints = [{ key: 'dedicated', effect: 'NoSchedule' as const }];
/** Two NodePools for other pods. They see the same type at different prices, as with a NodeOverlay. */
const one = aPoolView({ name: 'one', taints, types: [anInstanceType({ name: 'a.large', price: 1 })] });
const two = aPoolView({ name: 'two', taints, types: [anInstanceType({ name: 'a.large', price: 2 })] });

async function plan(over: Partial<ClusterSnapshot>, manifest?: object) {
  const snapshot = aSnapshot({ nodePools: [one, two], pods: [pendingPod({ name: 'web' })], ...over });
  const files = { 'a.json': snapshotText(snapshot, NOW_MS), 'b.yaml': JSON.stringify(manifest ?? {}) };
  const more = manifest === undefined ? [] : ['-f', 'b.yaml'];
  const args = ['plan', 'provisioning', '--snapshot', 'a.json', '--output', 'json', ...more];
  const { stdout, stderr } = await runKerf(args, files);
  const output: ProvisioningOutput = JSON.parse(stdout);
  return { output, stderr };
}

function poolManifest(name: string, nodeClass = 'default'): object {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass };
  const requirements = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { spec: { nodeClassRef, requirements } } },
  };
}

function withClass(view: NodePoolView, name: string): NodePoolView {
  const { nodePool } = view;
  const { template } = nodePool.spec;
  const spec = { ...template.spec, nodeClassRef: { ...template.spec.nodeClassRef, name } };
  return { ...view, nodePool: { ...nodePool, spec: { ...nodePool.spec, template: { ...template, spec } } } };
}

function priceOf({ newNodeClaims }: ProvisioningOutput): readonly (readonly [string, number])[] {
  return newNodeClaims.map(({ nodePool, cheapestOffering }) => [nodePool, cheapestOffering.price]);
}

function podsOf({ newNodeClaims }: ProvisioningOutput): number {
  return newNodeClaims.flatMap(({ pods }) => pods).length;
}

const onDemand = ['on-demand'] as const;

describe('a NodePool that the snapshot does not have', () => {
  test('has the instance types of the first NodePool with the same EC2NodeClass', async () => {
    const other = aPoolView({ name: 'other', taints, types: [anInstanceType({ price: 3, capacityTypes: onDemand })] });
    const same = aPoolView({ name: 'same', taints, types: [anInstanceType({ price: 4, capacityTypes: onDemand })] });
    const { output } = await plan({ nodePools: [withClass(other, 'b'), same] }, poolManifest('new'));
    expect(priceOf(output)).toEqual([['new', 4]]);
  });

  test('has every instance type, each once, if no NodePool has its EC2NodeClass', async () => {
    const dear = aPoolView({ name: 'dear', taints, types: [anInstanceType({ price: 3, capacityTypes: onDemand })] });
    const { output } = await plan({ nodePools: [dear, two] }, poolManifest('new', 'another'));
    expect(output.newNodeClaims.map(({ nodePool, instanceTypes }) => [nodePool, instanceTypes.toSorted()])).toEqual([
      ['new', ['a.large', 'm5.large']],
    ]);
  });
});

describe('a NodePool that could launch nothing', () => {
  const invalid: NodePoolView = {
    ...aPoolView({ name: 'mended', types: [] }),
    unusable: { reason: 'NodePoolValidationFailed', message: 'spec.limits is not valid' },
  };

  test('can launch when a valid manifest replaces it', async () => {
    const { output } = await plan({ nodePools: [one, invalid] }, poolManifest('mended'));
    expect(output.newNodeClaims.map(({ nodePool }) => nodePool)).toEqual(['mended']);
  });

  test('stays so if a manifest replaces another one, or if its EC2NodeClass is at fault', async () => {
    const { output } = await plan({ nodePools: [one, invalid] }, poolManifest('one', 'missing'));
    expect(output.newNodeClaims.map(({ nodePool }) => nodePool)).not.toContain('mended');
    const unready: NodePoolView = {
      ...invalid,
      unusable: { reason: 'NodeClassNotReady', message: 'the EC2NodeClass is not ready' },
    };
    const again = await plan({ nodePools: [one, unready] }, poolManifest('mended'));
    expect(again.output.newNodeClaims).toEqual([]);
  });
});

test('a CapacityBuffer of a manifest takes the place of the one whose pods are in the snapshot', async () => {
  const podTemplates = [aPodTemplate()];
  const none = { podTemplates, deployments: [], replicaSets: [], statefulSets: [] };
  const { pods } = bufferPods([aCapacityBuffer({ replicas: 3 }), aCapacityBuffer({}, 'other')], none, NOW_MS);
  const template = { apiVersion: 'v1', kind: 'PodTemplate', ...aPodTemplate() };
  const manifests = { apiVersion: 'v1', kind: 'List', items: [template, aCapacityBuffer({ replicas: 1 })] };
  const over = { nodePools: [aPoolView()], pods: [], bufferPods: pods };
  const before = await plan(over);
  const after = await plan(over, manifests);
  expect(podsOf(after.output)).toBe(podsOf(before.output) - 2);
});

test('NodeOverlays and CapacityBuffers that the function ignored are named, with the reason', async () => {
  const subject = { kind: 'NodeOverlay', name: 'cheap' } as const;
  const { stderr } = await plan({
    ignoredObjects: [{ subject, reason: 'Conflict', message: 'dear sets the price too', numbers: {} }],
  });
  expect(stderr).toBe('NodeOverlay/cheap: Conflict: dear sets the price too\n');
});
