import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Deployment } from '../../../lib/apis/kubernetes.ts';
import { CAPACITY_TYPES } from '../../../lib/apis/labels.ts';
import { ANY_OFFERING, type UnavailableOffering } from '../../../lib/core/model/decision.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const NONE = { name: 'none', events: [] };

/** The number of pods that run after three minutes in which every offering lacks capacity in one placement. */
async function runningWhile(
  where: Pick<UnavailableOffering, 'placementGroupId' | 'tenancy' | 'nodeClass'>,
  { group, tenancy }: { readonly group?: string; readonly tenancy?: string },
): Promise<number> {
  const nodeClass = aNodeClass(group === undefined ? {} : { placementGroupSelector: { id: group } });
  const { spec } = aPool();
  const requirements = [
    ...spec.template.spec.requirements,
    ...(tenancy === undefined
      ? []
      : [{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In' as const, values: [tenancy] }]),
  ];
  const template = { ...spec.template, spec: { ...spec.template.spec, requirements } };
  const { podsRunning } = await live({
    manifests: someManifests({
      deployments: [aDeployment('web', 3)],
      nodeClasses: [nodeClass],
      nodePools: [aPool({ template })],
    }),
    catalogue: SMALL_CATALOGUE,
    scenario: NONE,
    durationMs: 3 * MINUTE_MS,
    wrapPorts: (ports) => ({
      ...ports,
      catalogue: {
        ...ports.catalogue,
        listUnavailable: async (nowMs) =>
          CAPACITY_TYPES.map((capacityType) => ({
            instanceType: ANY_OFFERING,
            zone: ANY_OFFERING,
            capacityType,
            ...where,
            reason: 'InsufficientInstanceCapacity',
            untilMs: nowMs + MINUTE_MS,
          })),
      },
    }),
  });
  return podsRunning;
}

test('a placement group without capacity stops no launches outside it (C32)', async () => {
  expect(await runningWhile({ placementGroupId: 'pg-1' }, {})).toBe(3);
  expect(await runningWhile({ placementGroupId: 'pg-1' }, { group: 'pg-2' })).toBe(3);
  expect(await runningWhile({ placementGroupId: 'pg-1' }, { group: 'pg-1' })).toBe(0);
  expect(await runningWhile({}, { group: 'pg-1' })).toBe(0);
});

test('what EC2 does not support of a NodeClass stops no launches of others, nor of that with its name in another cluster (C33)', async () => {
  expect(await runningWhile({ nodeClass: 'dev/default' }, {})).toBe(3);
  expect(await runningWhile({ nodeClass: 'simulated/gpu' }, {})).toBe(3);
  expect(await runningWhile({ nodeClass: 'simulated/default' }, {})).toBe(0);
});

test('a lack of dedicated hardware stops no launches on shared hardware (C32)', async () => {
  expect(await runningWhile({ tenancy: 'dedicated' }, { tenancy: 'default' })).toBe(3);
  expect(await runningWhile({ tenancy: 'dedicated' }, { tenancy: 'dedicated' })).toBe(0);
});

function selecting(tenancy: string): Deployment {
  const { metadata, spec } = aDeployment(tenancy, 2);
  const nodeSelector = { 'karpenter.k8s.aws/instance-tenancy': tenancy };
  return { metadata, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, nodeSelector } } } };
}

test('pods that select a tenancy run on the first nodes that are launched for them (C19)', async () => {
  const { podsRunning, nodesLaunched } = await live({
    manifests: someManifests({ deployments: [selecting('default'), selecting('dedicated')] }),
    catalogue: SMALL_CATALOGUE,
    scenario: NONE,
    durationMs: 5 * MINUTE_MS,
  });
  expect({ podsRunning, nodesLaunched }).toEqual({ podsRunning: 4, nodesLaunched: 2 });
});
