import { expect, test } from 'vitest';
import { formatTime, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../life.ts';

const EMPTY: ScenarioEvent = { kind: 'scale', atMs: 5 * MINUTE_MS, deployment: 'default/web', replicas: 0 };

/** EC2 does not list the instances from the fifth minute on. Their terminations have no effect. */
function hiding(leaked: Set<string>, untilMs: number) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const isHidden = (): boolean => {
      const sinceMs = ports.clock.now() - startMs;
      return sinceMs >= 5 * MINUTE_MS && sinceMs < untilMs;
    };
    return {
      ...ports,
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          const found = await ports.cloud.describeInstances(cluster, ids);
          if (!isHidden()) return found;
          for (const { id } of found) leaked.add(id);
          return [];
        },
        terminate: async (cluster, id) => {
          if (!isHidden()) await ports.cloud.terminate(cluster, id);
        },
      },
    };
  };
}

test('the instance of a released claim is terminated, although the list of claims does not contain the claim', async () => {
  const leaked = new Set<string>();
  const events = [EMPTY, { ...EMPTY, atMs: 16 * MINUTE_MS }];
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'hidden', events },
    wrapPorts: hiding(leaked, 15 * MINUTE_MS),
  });
  const ended = result.timeline.flatMap((entry) => (entry.kind === 'instance-terminated' ? [entry] : []));
  expect(ended.map(({ instanceId }) => instanceId)).toEqual([...leaked]);
  for (const { at } of ended) expect(at).toBeGreaterThan(15 * 60);
  expectAllGone(result);
});

test('while launches get no answer, an instance of a released claim that EC2 refuses to terminate is not tried in each run', async () => {
  const leaked = new Set<string>();
  const refusedAt: number[] = [];
  const late = { kind: 'scale', atMs: 7.5 * MINUTE_MS, deployment: 'default/late', replicas: 1 } as const;
  await live({
    catalogue: SMALL_CATALOGUE,
    manifests: someManifests({ deployments: [aDeployment('web', 1), aDeployment('late', 0)] }),
    scenario: { name: 'refused', events: [EMPTY, late] },
    durationMs: 15 * MINUTE_MS,
    wrapPorts: (ports) => {
      const hidden = hiding(leaked, 8 * MINUTE_MS)(ports);
      const startMs = ports.clock.now();
      return {
        ...hidden,
        cloud: {
          ...hidden.cloud,
          launch: async (...asked) => {
            const answer = await ports.cloud.launch(...asked);
            if (ports.clock.now() < startMs + 7 * MINUTE_MS) return answer;
            throw new UnreachableError('no answer');
          },
          terminate: async (cluster, id) => {
            if (!leaked.has(id) || ports.clock.now() < startMs + 8 * MINUTE_MS)
              return hidden.cloud.terminate(cluster, id);
            refusedAt.push(ports.clock.now());
            throw new RefusedError('OperationNotPermitted');
          },
        },
      };
    },
  });
  const gaps = refusedAt.slice(1).map((at, index) => at - (refusedAt[index] ?? 0));
  expect(refusedAt.length).toBeGreaterThan(2);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30 * SECOND_MS);
});

/** The table is empty from the first termination on. */
function losingRecords(ports: ControllerPorts): ControllerPorts {
  const empty = memoryNodeClaimStore();
  let isLost = false;
  return {
    ...ports,
    get store() {
      return isLost ? empty : ports.store;
    },
    cloud: {
      ...ports.cloud,
      terminate: async (cluster, id) => {
        await ports.cloud.terminate(cluster, id);
        isLost = true;
      },
    },
  };
}

test('a NodeClaim whose record was lost while its instance shut down is released, and its node is deleted', async () => {
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'lost records', events: [EMPTY] },
    wrapPorts: losingRecords,
  });
  const made = result.timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.at > 5 * 60 ? [entry.nodeClaim] : [],
  );
  expect(made).not.toEqual([]);
  expectAllGone(result);
});

/** A cluster whose table and NodeClaim objects were lost when EC2 ended its instances. */
interface Lost {
  /** Whether the cloud controller manager deletes the Nodes. */
  readonly deletesNodes: boolean;
  /** Whether the instances run without their tags, and their kubelets do not answer. */
  readonly runs: boolean;
  /** @default launches are answered */
  readonly noAnswerForMs?: number;
}

const LOST_AFTER_MS = 5.5 * MINUTE_MS;

function losingAll({ deletesNodes, runs, noAnswerForMs = 0 }: Lost, ended: string[]) {
  return (ports: ControllerPorts): ControllerPorts => {
    const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
    const empty = memoryNodeClaimStore();
    const isLost = (): boolean => ports.clock.now() >= lostAtMs;
    const made = new Set<string>();
    return {
      ...ports,
      get store() {
        return isLost() ? empty : ports.store;
      },
      cluster: {
        ...ports.cluster,
        listNodeClaims: async () =>
          (await ports.cluster.listNodeClaims()).filter(({ metadata }) => !isLost() || made.has(metadata.name)),
        applyNodeClaim: async (nodeClaim) => {
          if (isLost()) made.add(nodeClaim.metadata.name);
          await ports.cluster.applyNodeClaim(nodeClaim);
        },
        listNodes: async () => {
          const nodes = await ports.cluster.listNodes();
          if (!isLost()) return nodes;
          const deletionTimestamp = new Date(lostAtMs).toISOString();
          const conditions = [{ type: 'Ready', status: 'Unknown' }] as const;
          return nodes.map((node) => {
            if (Date.parse(node.metadata.creationTimestamp ?? '') >= lostAtMs) return node;
            const metadata = { ...node.metadata, ...(deletesNodes && { deletionTimestamp }) };
            return { ...node, metadata, status: { ...node.status, conditions } };
          });
        },
      },
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          const found = await ports.cloud.describeInstances(cluster, ids);
          if (!isLost()) return found;
          return found.flatMap((one) => {
            if (one.launchedAtMs >= lostAtMs) return [one];
            return runs && ids !== undefined ? [{ ...one, untagged: true as const }] : [];
          });
        },
        launch: async (request) => {
          const sinceMs = ports.clock.now() - lostAtMs;
          if (sinceMs >= 0 && sinceMs < noAnswerForMs) throw new UnreachableError('no answer');
          return await ports.cloud.launch(request);
        },
        terminate: async (cluster, id) => {
          ended.push(id);
          await ports.cloud.terminate(cluster, id);
        },
      },
    };
  };
}

async function loseAll(lost: Lost) {
  const ended: string[] = [];
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    manifests: someManifests({ deployments: [aDeployment('web', 3), aDeployment('late', 0)] }),
    scenario: {
      name: 'all lost',
      events: [
        { kind: 'scale', atMs: LOST_AFTER_MS + SECOND_MS, deployment: 'default/late', replicas: 1 },
        { kind: 'deletePod', atMs: 14 * MINUTE_MS, pod: 'none' },
      ],
    },
    durationMs: 15 * MINUTE_MS,
    wrapPorts: losingAll(lost, ended),
  });
  const isAfter = ({ at }: { readonly at: number }): boolean => at * SECOND_MS > LOST_AFTER_MS;
  const registered = result.timeline.flatMap((entry) =>
    entry.kind === 'register-node' && !isAfter(entry) ? [entry.node.name] : [],
  );
  const adoptedAt = result.timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.pods.length === 0 ? [entry.at] : [],
  );
  return { registered, adoptedAt, after: result.timeline.filter(isAfter), ended };
}

test.each([
  ['being deleted', true],
  ['not Ready', false],
])(
  'a Node of Kerf that is %s, without a record, a NodeClaim object and an instance, is removed',
  async (_, deletesNodes) => {
    const { registered, after } = await loseAll({ deletesNodes, runs: false });
    const released = after.flatMap((entry) => (entry.kind === 'release-node-claim' ? [entry.node?.name] : []));
    expect(registered).not.toEqual([]);
    expect(released).toEqual(registered);
  },
);

test('a Node that is not Ready is kept while its instance runs, although EC2 does not list the instance with its tags', async () => {
  const { after, adoptedAt, ended } = await loseAll({ deletesNodes: false, runs: true });
  const kinds = after.map(({ kind }) => kind);
  expect(adoptedAt).not.toEqual([]);
  for (const kind of ['delete-node-claim', 'release-node-claim', 'evict-pod']) expect(kinds).not.toContain(kind);
  expect(ended).toEqual([]);
});

test('a Node without a record waits for launches with an unknown outcome, because its instance may be theirs', async () => {
  const noAnswerForMs = 2 * MINUTE_MS;
  const { adoptedAt } = await loseAll({ deletesNodes: true, runs: false, noAnswerForMs });
  expect(adoptedAt).not.toEqual([]);
  for (const at of adoptedAt) expect(at * SECOND_MS).toBeGreaterThan(LOST_AFTER_MS + noAnswerForMs);
});

test('the object of a released claim that another program holds with its finalizer is neither removed nor adopted again', async () => {
  const held: NodeClaim[] = [];
  const removed: string[] = [];
  const failures: string[] = [];
  /** Reads of the catalogue after the release. */
  let reads = 0;
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      listNodeClaims: async () => [...(await ports.cluster.listNodeClaims()), ...held],
      removeNodeClaim: async (name) => {
        removed.push(name);
        const found = (await ports.cluster.listNodeClaims()).find(({ metadata }) => metadata.name === name);
        await ports.cluster.removeNodeClaim(name);
        const deletionTimestamp = formatTime(ports.clock.now());
        const left = { finalizers: ['example.com/backup'], deletionTimestamp };
        if (found !== undefined) held.push({ ...found, metadata: { ...found.metadata, ...left } });
      },
    },
    catalogue: {
      ...ports.catalogue,
      readCatalogue: async () => {
        if (held.length > 0) reads += 1;
        return ports.catalogue.readCatalogue();
      },
    },
  });
  await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'held', events: [EMPTY] },
    durationMs: 40 * MINUTE_MS,
    goesOn: true,
    onFailure: ({ error }) => void failures.push(String(error)),
    wrapPorts,
  });
  expect(held).toHaveLength(1);
  expect(removed).toEqual(held.map(({ metadata }) => metadata.name));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toContain('until other programs remove their finalizers: example.com/backup');
  expect(reads, 'nothing is read to adopt it').toBe(0);
});
