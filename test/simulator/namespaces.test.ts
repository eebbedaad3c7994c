import { expect, test } from 'vitest';
import type { Deployment, LabelSelector, Namespace } from '../../lib/apis/kubernetes.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { affinityTerm, avoiding } from '../builders/pods.ts';
import { MINUTE } from '../builders/times.ts';
import { playToEnd } from './play-to-end.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** Two pods in a namespace, which keep away from the pods of `app: web` in the namespaces of the selector. */
function aWeb(namespace: string, namespaceSelector?: LabelSelector): Deployment {
  const { spec } = aDeployment('web', 2);
  const affinity = namespaceSelector && avoiding(affinityTerm({ topologyKey: HOSTNAME, namespaceSelector }));
  const template = { ...spec.template, spec: { ...spec.template.spec, ...(affinity && { affinity }) } };
  return { metadata: { name: 'web', namespace }, spec: { ...spec, template } };
}

test.each<{
  readonly rule: string;
  readonly namespaces: readonly Namespace[];
  readonly selector: LabelSelector;
  /** The nodes on which a pod of `b` runs with a pod of `a`. */
  readonly isShared: boolean;
}>([
  {
    rule: 'of the label of both keeps the pods apart',
    namespaces: ['a', 'b'].map((name) => ({ metadata: { name, labels: { team: 'x' } } })),
    selector: { matchLabels: { team: 'x' } },
    isShared: false,
  },
  {
    rule: 'of the name of one leaves the other alone, also without Namespaces',
    namespaces: [],
    selector: { matchLabels: { 'kubernetes.io/metadata.name': 'a' } },
    isShared: true,
  },
])('B52: a namespaceSelector $rule, and every pod is bound where Kerf planned it', async (given) => {
  const { namespaces, selector, isShared } = given;
  const deployments = [aWeb('a', selector), aWeb('b')];
  const simulation = openSimulation({
    manifests: someManifests({ nodePools: [aPool()], deployments, namespaces }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 10 * MINUTE,
  });
  const ended = await playToEnd(simulation);
  const { podsPending, podsRunning } = simulation.summary(ended);
  expect([podsPending, podsRunning]).toEqual([[], 4]);
  const nodesOf = (namespace: string): ReadonlySet<string | undefined> =>
    new Set(
      [...simulation.state.pods.values()].flatMap((pod) =>
        pod.metadata.namespace === namespace ? [pod.spec.nodeName] : [],
      ),
    );
  expect(nodesOf('a').size).toBe(2);
  expect(nodesOf('a').isDisjointFrom(nodesOf('b'))).toBe(!isShared);
});
