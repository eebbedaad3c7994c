import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { DescribedInstance } from '../../../lib/ports/cloud-provider.ts';
import { live } from '../life.ts';

/** From the fourth minute on, EC2 lists the instances in this state, without an event, and their nodes are not Ready. */
function stopped(state: DescribedInstance['state']): (ports: ControllerPorts) => ControllerPorts {
  return (ports) => {
    const { cluster, cloud, clock } = ports;
    const startMs = clock.now();
    const isLost = (): boolean => clock.now() - startMs >= 4 * MINUTE_MS;
    const listNodes = async (): Promise<readonly Node[]> => {
      const nodes = await cluster.listNodes();
      return isLost() ? nodes.map((node) => ({ ...node, status: { ...node.status, conditions: [] } })) : nodes;
    };
    const describeInstances: ControllerPorts['cloud']['describeInstances'] = async (...asked) => {
      const found = await cloud.describeInstances(...asked);
      return found.map((one) => (isLost() && one.state === 'running' ? { ...one, state } : one));
    };
    return { ...ports, cluster: { ...cluster, listNodes }, cloud: { ...cloud, describeInstances } };
  };
}

test.each([
  ['stopping', ['instance_stopped']],
  ['stopped', ['instance_stopped']],
  ['running', []],
] as const)(
  'D15: a lost node whose instance EC2 lists as %s is deleted for these reasons: %j',
  async (state, expected) => {
    const events = [{ kind: 'scale', atMs: 9 * MINUTE_MS, deployment: 'default/web', replicas: 0 }] as const;
    const result = await live({
      scenario: { name: 'stopped', events },
      durationMs: 8 * MINUTE_MS,
      wrapPorts: stopped(state),
    });
    const reasons = result.timeline.flatMap((one) => (one.kind === 'delete-node-claim' ? [one.reason] : []));
    expect([...new Set(reasons)]).toEqual(expected);
  },
);
