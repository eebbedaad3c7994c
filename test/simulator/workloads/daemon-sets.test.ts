import { expect, test } from 'vitest';
import type { DaemonSet } from '../../../lib/apis/kubernetes.ts';
import { kubernetesState, writeNode, writePod } from '../../../lib/simulator/kubernetes/state.ts';
import { workloads } from '../../../lib/simulator/kubernetes/workloads/workloads.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod, runningPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

const labels = { app: 'agent' };
const AGENT: DaemonSet = {
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] } },
  },
};

/** The agents that are created on node `a`, which has 4 of 10 CPUs free, while a pod of 4 CPUs is nominated to `nominated`. */
function agentsOnA({ nominated, priority }: { readonly nominated: string; readonly priority: number }): number {
  const state = kubernetesState(
    someManifests({ nodePools: [], nodeClasses: [], deployments: [], daemonSets: [AGENT], priorityClasses: [] }),
  );
  writeNode(state, aNode({ name: 'a', allocatable: { cpu: '10', memory: '100Gi', pods: '99' } }));
  writePod(state, runningPod('a', { name: 'other', requests: { cpu: '6' } }));
  const waiting = aPod({ name: 'waiting', requests: { cpu: '4' }, spec: { priority } });
  writePod(state, { ...waiting, status: { ...waiting.status, nominatedNodeName: nominated } });
  workloads(state, timetableFrom(NOW_MS)).reconcile();
  return [...state.pods.values()].filter(({ metadata }) => metadata.labels?.['app'] === 'agent').length;
}

test.each([
  { says: 'waits for the room that a nominated pod of higher priority leaves', nominated: 'a', priority: 1, agents: 0 },
  { says: 'does not wait for a pod of its own priority', nominated: 'a', priority: 0, agents: 1 },
  { says: 'does not wait for a pod that is nominated to another node', nominated: 'b', priority: 1, agents: 1 },
])('the pod of a DaemonSet $says', ({ agents, ...given }) => {
  expect(agentsOnA(given)).toBe(agents);
});
