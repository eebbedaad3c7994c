import { expect, test } from 'vitest';
import type { ContainerPort } from '../../../../lib/apis/kubernetes.ts';
import { conflictingPort, hostPorts } from '../../../../lib/core/scheduling/pods/host-ports.ts';
import { aPod } from '../../../builders/pods.ts';

const taking = (...ports: readonly ContainerPort[]) => hostPorts(aPod({ containers: [{ name: 'main', ports }] }));

test.each<[string, ContainerPort, ContainerPort, boolean]>([
  ['the same port', { hostPort: 80 }, { hostPort: 80 }, true],
  ['another port', { hostPort: 80 }, { hostPort: 81 }, false],
  ['no protocol is TCP', { hostPort: 80 }, { hostPort: 80, protocol: 'TCP' }, true],
  ['another protocol', { hostPort: 53, protocol: 'UDP' }, { hostPort: 53, protocol: 'TCP' }, false],
  ['two addresses', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, false],
  ['one address', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.1' }, true],
  ['every address and one', { hostPort: 80 }, { hostPort: 80, hostIP: '10.0.0.1' }, true],
  ['every IPv6 address and one', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '::' }, true],
])('host ports conflict where port, protocol and address meet: %s (B58)', (...[, a, b, conflict]) => {
  expect(conflictingPort(taking(a), taking(b)) !== undefined).toBe(conflict);
});

test('a container port without a host port does not conflict', () => {
  expect(taking({ containerPort: 80 }, { containerPort: 81, hostPort: 0 })).toEqual([]);
});

test('of init containers, the host ports of sidecars count; the others end before the pod runs (B58)', () => {
  const initContainers = [
    { name: 'migration', ports: [{ hostPort: 80 }] },
    { name: 'proxy', restartPolicy: 'Always', ports: [{ hostPort: 81 }] },
  ];
  expect(hostPorts(aPod({ spec: { initContainers } }))).toEqual([{ ip: '0.0.0.0', port: 81, protocol: 'TCP' }]);
});

test('a port of a pod on the network of its node is a host port, as the API server sets it (B58)', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 0 }];
  const pod = aPod({ spec: { hostNetwork: true, containers: [{ name: 'main', ports }] } });
  expect(hostPorts(pod).map(({ port }) => port)).toEqual([80, 81]);
});
