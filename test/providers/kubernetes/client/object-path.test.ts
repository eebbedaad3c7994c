import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatTime } from '../../../../lib/apis/formats/time.ts';
import { RefusedError } from '../../../../lib/ports/errors.ts';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { objectPath } from '../../../../lib/providers/kubernetes/client/object-path.ts';
import { KubernetesCluster } from '../../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { FakeApiServer } from '../../../fakes/api-server.ts';

test('the usual name of an object is in its path as it is', () => {
  expect(objectPath('/api/v1/nodes', 'ip-10-0-0-1.eu-west-3.compute.internal')).toBe(
    '/api/v1/nodes/ip-10-0-0-1.eu-west-3.compute.internal',
  );
});

describe('a name that is not the name of an object', () => {
  let server: FakeApiServer;
  let client: ApiClient;
  let cluster: KubernetesCluster;

  beforeEach(async () => {
    server = await FakeApiServer.start();
    client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
    cluster = new KubernetesCluster({ client, clock: { now: () => NOW_MS } });
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  const paths = (): readonly string[] => server.requests.map(({ path }) => path);

  test.each(['', '.', '..'])(
    '"%s" is refused without a request: it would be the path of other objects',
    async (name) => {
      await expect(cluster.removeNodeClaim(name)).rejects.toBeInstanceOf(RefusedError);
      await expect(cluster.deleteNode(name)).rejects.toBeInstanceOf(RefusedError);
      await expect(cluster.readNode(name)).rejects.toBeInstanceOf(RefusedError);
      await expect(cluster.patchNode({ name, resourceVersion: '1' }, { labels: {} })).rejects.toBeInstanceOf(
        RefusedError,
      );
      expect(paths()).toEqual([]);
    },
  );

  test('one with slashes stays below its collection', async () => {
    const name = '../../../../api/v1/nodes/node-1';
    const node = { group: '/api/v1', resource: 'nodes', name: 'node-1' };
    server.store.put(node, { metadata: { creationTimestamp: formatTime(NOW_MS) } });
    await cluster.removeNodeClaim(name);
    await cluster.deletePod({ namespace: 'default', name, uid: 'u' }, 0);
    expect(paths().length).toBeGreaterThan(1);
    for (const path of paths()) expect(path).toContain('..%2F..%2F..%2F..%2Fapi%2Fv1%2Fnodes%2Fnode-1');
    expect(await cluster.readNode('node-1'), 'the node still exists').toBeDefined();
  });
});
