/**
 * A cluster in which a reader follows a page of the manual: a real control plane and kubectl, nodes of node groups whose kubelets are
 * simulated, and Kerf's provisioning, lifecycle and termination on a simulated EC2. `aws` and `npx cdk` are answered by the test.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Reader } from '../../manual/follow-page.ts';
import { type FakeKubelet, startFakeKubelet } from '../../rig/fake-kubelet.ts';
import { type KerfInProcess, startKerf } from '../../rig/kerf-in-process.ts';
import { startOwnControlPlane } from '../../rig/own-control-plane.ts';
import { playSimulatedMachines } from '../../rig/simulated-machines.ts';
import { type Program, type StandIns, startStandIns } from '../../rig/stand-in-programs.ts';
import { podsOf } from '../../rig/workloads.ts';
import { at, listAt, textAt } from '../../stack/json.ts';
import { callApi, read, variable } from '../support/api-client.ts';
import { writeKubeconfig } from '../support/kubeconfig.ts';
import { COLLECTIONS, installDefinitions } from '../support/resources.ts';

/** Ignored by git. npm finds the repository above it, as in the folder of a reader. */
const CACHE = join(import.meta.dirname, '../../../.cache');

/** What a page waits for: pods that are evicted and start, and nodes. */
export const SOON = { timeout: 90_000, interval: 500 };

export interface PageRig {
  readonly reader: Reader;
  readonly standIns: StandIns;
  /** Starts or ends the machines of a node group, as EKS does for a new size. */
  readonly resize: (group: string, size: number) => Promise<void>;
  readonly deploy: () => Promise<void>;
  readonly destroy: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PageRigPlan {
  readonly names: Reader['names'];
  /** The stand-ins by name: `aws`, `helm`, and `cdk` for `npx cdk`. */
  readonly programs: Readonly<Record<string, (rig: PageRig, args: readonly string[]) => Promise<string>>>;
  /** The labels of the nodes of a group. */
  readonly labels: (group: string) => Readonly<Record<string, string>>;
}

export async function startPageRig({ names, programs, labels }: PageRigPlan): Promise<PageRig> {
  const controlPlane = await startOwnControlPlane({ nodeGraceSeconds: 3_600 });
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'page-'));
  const bin = join(folder, 'bin');
  const groups = nodeGroups(labels);
  const kerf = deployment();
  const answer = async (name: string, args: readonly string[]): Promise<string> => {
    const program = programs[name];
    if (program === undefined) throw new Error(`${name} has no stand-in for this page`);
    return await program(rig, args);
  };
  const own = Object.keys(programs).filter((name) => name !== 'cdk');
  const standIns = await startStandIns(bin, {
    ...Object.fromEntries(own.map((name): [string, Program] => [name, async (args) => await answer(name, args)])),
    npx: async ([name = '', ...args]) => await answer(name, args),
  });
  symlinkSync(join(variable('KERF_CLUSTER_BINARIES'), 'kubectl'), join(bin, 'kubectl'));
  writeKubeconfig(join(folder, 'kubeconfig'));
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    HOME: folder,
    KUBECONFIG: join(folder, 'kubeconfig'),
    AWS_REGION: 'us-east-1',
  };
  const rig: PageRig = {
    reader: { folder, environment, names },
    standIns,
    ...groups,
    ...kerf,
    stop: async () => {
      await kerf.destroy();
      await groups.close();
      await standIns.close();
      await controlPlane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return rig;
}

function nodeGroups(labels: PageRigPlan['labels']) {
  const machines = new Map<string, FakeKubelet>();
  let count = 0;
  const end = async (name: string): Promise<void> => {
    await machines.get(name)?.die();
    machines.delete(name);
    await callApi({ method: 'DELETE', path: `/api/v1/nodes/${name}` });
  };
  return {
    resize: async (group: string, size: number): Promise<void> => {
      const own = [...machines.keys()].filter((name) => name.startsWith(`${group}-`));
      for (const name of own.slice(size)) await end(name);
      for (let more = own.length; more < size; more++) {
        const name = `${group}-${(count += 1)}`;
        machines.set(name, startFakeKubelet({ name, labels: labels(group) }));
      }
    },
    close: async () => {
      for (const name of machines.keys()) await end(name);
    },
  };
}

function deployment() {
  let running: { readonly kerf: KerfInProcess; readonly stopMachines: () => Promise<void> } | undefined;
  return {
    deploy: async (): Promise<void> => {
      if (running !== undefined) return;
      await installDefinitions();
      const kerf = await startKerf({ provisions: true });
      running = { kerf, stopMachines: playSimulatedMachines(kerf.cloud) };
    },
    destroy: async (): Promise<void> => {
      await running?.stopMachines();
      await running?.kerf.close();
      running = undefined;
    },
  };
}

/** The nodes on which the running pods of an app are: the name of the NodePool for nodes of Kerf, else that of the node. */
async function placesOf(app: string): Promise<readonly string[]> {
  const pods = await podsOf(app);
  const nodes = new Map(
    listAt(await read('/api/v1/nodes'), 'items').map((one) => [textAt(one, 'metadata', 'name'), one]),
  );
  return pods
    .map((pod) => {
      const name = at(pod, 'spec', 'nodeName');
      if (typeof name !== 'string' || at(pod, 'status', 'phase') !== 'Running') return 'pending';
      const pool = at(nodes.get(name), 'metadata', 'labels', 'karpenter.sh/nodepool');
      return typeof pool === 'string' ? pool : name.replace(/-\d+$/, '');
    })
    .toSorted();
}

/** What is expected of the pods of an app: all of them at one place. */
export async function expectAllAt(app: string, place: string, pods: number): Promise<void> {
  expect(await placesOf(app)).toEqual(Array.from({ length: pods }, () => place));
}

/** Waits until all pods of an app are at one place. */
export async function isAt(app: string, place: string, pods: number): Promise<void> {
  await vi.waitFor(async () => await expectAllAt(app, place, pods), SOON);
}

export async function nodesWith(label: string): Promise<readonly unknown[]> {
  return listAt(await read(`/api/v1/nodes?labelSelector=${encodeURIComponent(label)}`), 'items');
}

/** Waits until nodes that were cordoned accept pods. The controller manager removes the taint of a cordon after kubectl has returned. */
export async function areUncordoned(label: string): Promise<void> {
  await vi.waitFor(async () => {
    for (const node of await nodesWith(label)) expect(at(node, 'spec')).toEqual({});
  }, SOON);
}

export async function nodeClaims(): Promise<readonly unknown[]> {
  return listAt(await read(COLLECTIONS.NodeClaim), 'items');
}
