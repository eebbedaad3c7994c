import { describe, expect, test } from 'vitest';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { aDocument, aGivenPod, aGivenPool, aGivenType } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

/** `kerf plan provisioning` shows the complete verdict of the provisioning function. */

type Json = Readonly<Record<string, unknown>>;

async function planned(document: Json): Promise<ProvisioningOutput> {
  const args = ['plan', 'provisioning', '--snapshot', 'a.json', '--output', 'json'];
  const { stdout } = await runKerf(args, { 'a.json': JSON.stringify(document) });
  const output: ProvisioningOutput = JSON.parse(stdout);
  return output;
}

function verdictOn(document: Json) {
  const { snapshot, nowMs } = readSnapshot(
    { readText: () => JSON.stringify(document) },
    { path: 'a.json', nowMs: Date.UTC(2026, 0, 31) },
  );
  return provision(snapshot, { decisionId: 'decision-1', nowMs });
}

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'coredns', uid: 'uid-1', controller: true };
const dns = aGivenPod(
  'coredns-1',
  {},
  { metadata: { name: 'coredns-1', namespace: 'kube-system', ownerReferences: [owner] } },
);

describe('on an empty cluster where only CoreDNS is pending', () => {
  const document = aDocument({ pods: [dns] });

  test('nothing is planned, with the reason of the function', async () => {
    const { newNodeClaims, existing, podErrors, totalHourlyPrice } = await planned(document);
    expect({ newNodeClaims, existing, totalHourlyPrice }).toEqual({
      newNodeClaims: [],
      existing: [],
      totalHourlyPrice: 0,
    });
    const { actions, blocked } = verdictOn(document);
    expect(actions).toEqual([]);
    const refusals = blocked.map(({ reason, message, numbers }) => ({ reason, message, numbers }));
    expect(podErrors).toEqual({ 'kube-system/coredns-1': refusals });
    expect(refusals).toMatchObject([{ reason: 'WaitsAtZero' }]);
  });

  test('the text has the reason', async () => {
    const { stdout } = await runKerf(['plan', 'provisioning', '--snapshot', 'a.json'], {
      'a.json': JSON.stringify(document),
    });
    expect(stdout).toContain('kube-system/coredns-1\n      it matches ignoreAtZero, ');
  });

  test('it gets a node with the first other pod that needs one', async () => {
    const { newNodeClaims } = await planned(aDocument({ pods: [dns, aGivenPod()] }));
    expect(newNodeClaims.flatMap(({ pods }) => pods).toSorted()).toEqual(['default/web-1', 'kube-system/coredns-1']);
  });

  test('it gets its own node if ignoreAtZero is empty in the snapshot', async () => {
    const options = { now: '2026-01-31T08:00:00Z', ignoreAtZero: [] };
    expect((await planned({ ...document, options })).newNodeClaims).toHaveLength(1);
  });
});

test('a claim that must wait after missing capacity is not planned, and its pods have the reason', async () => {
  const types = ['m5.large', 'm5.xlarge', 'm5.2xlarge'];
  const unavailableOfferings = types.flatMap((instanceType) =>
    ['us-east-1a', 'us-east-1b'].flatMap((zone) =>
      ['on-demand', 'spot'].map((capacityType) => ({ instanceType, zone, capacityType })),
    ),
  );
  const left = unavailableOfferings.slice(1);
  const { newNodeClaims, podErrors } = await planned(aDocument({ pods: [aGivenPod()], unavailableOfferings: left }));
  expect(newNodeClaims).toEqual([]);
  expect(podErrors).toMatchObject({
    'default/web-1': [{ nodePool: 'general', reason: 'NoCapacity', numbers: { missing: 11, left: 1 } }],
  });
});

test('a planned claim has the types that are sent to EC2, and the lowest price (C39, C42)', async () => {
  const many = Array.from({ length: 70 }, (_, at) => aGivenType(`m5.${at}`, 100 + at));
  const bare = aGivenType('m5.metal', 99);
  const document = aDocument({ instanceTypes: [...many, bare], pods: [aGivenPod()] });
  const [claim] = (await planned(document)).newNodeClaims;
  const [action] = verdictOn(document).actions;
  const options = action?.kind === 'create-node-claim' ? action.nodeClaim.options : [];
  expect(claim?.instanceTypes).toHaveLength(71);
  expect(claim?.launch.instanceTypes).toHaveLength(60);
  expect(claim?.launch.instanceTypes).not.toContain('m5.metal');
  expect(claim?.launch.instanceTypes).toEqual([...new Set(options.map(({ instanceType }) => instanceType))]);
  expect(claim?.launch.cheapestOffering).toMatchObject({ type: 'm5.0', price: 2 });
});

test('sixty new nodes, which are recorded in two parts, are in one plan', async () => {
  const ports = [{ hostPort: 80 }];
  const containers = [{ name: 'main', ports, resources: { requests: { cpu: '1' } } }];
  const pods = Array.from({ length: 60 }, (_, at) => aGivenPod(`web-${at}`, { containers }));
  expect((await planned(aDocument({ pods }))).newNodeClaims).toHaveLength(60);
});

describe('a static NodePool (D31)', () => {
  const nodePools = [aGivenPool('fixed', { replicas: 3 })];
  const NOTE =
    'NodePool/fixed: StaticCapacityNotSupported: it has spec.replicas (3), and options.staticCapacity of the snapshot is off: it launches nothing';

  test('launches nothing if the snapshot has the feature gate off, and a note says so', async () => {
    const { newNodeClaims, notes } = await planned(aDocument({ nodePools }));
    expect(newNodeClaims).toEqual([]);
    expect(notes).toEqual([NOTE]);
  });

  test('gets its nodes if it is on', async () => {
    const { newNodeClaims, notes } = await planned(aDocument({ nodePools, options: { staticCapacity: true } }));
    expect(newNodeClaims).toHaveLength(3);
    expect(notes).toEqual([]);
  });
});
