/** A kubelet for each running instance of the simulated EC2: it joins when the instance runs and stops with it. */
import { setTimeout } from 'node:timers/promises';
import { shippedFacts } from '../../lib/catalogue/figures.ts';
import type { SimulatedEc2 } from '../../lib/simulator/aws/simulated-ec2.ts';
import { type FakeKubelet, startFakeKubelet } from './fake-kubelet.ts';
import { machineNode } from './machine-node.ts';

const LOOK_EVERY_MS = 200;

/** *Shape:* a function that ends all kubelets. */
export function playSimulatedMachines(cloud: SimulatedEc2): () => Promise<void> {
  const facts = shippedFacts();
  const kubelets = new Map<string, FakeKubelet>();
  const stopped = new AbortController();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      for (const instance of cloud.instances()) {
        const { id, instanceType, zone, nodePool, privateDnsName = '', state } = instance;
        if (state !== 'running') await kubelets.get(id)?.die();
        else if (!kubelets.has(id))
          kubelets.set(
            id,
            startFakeKubelet(machineNode({ instanceId: id, instanceType, zone, nodePool, privateDnsName }, facts)),
          );
      }
      await setTimeout(LOOK_EVERY_MS);
    }
  })();
  return async () => {
    stopped.abort();
    await watching;
    await Promise.all([...kubelets.values()].map(async (kubelet) => kubelet.die()));
  };
}
