/**
 * Measures from one pending pod to the CreateFleet call, warm: `measure-launch.ts RUNS`, in the environment of `bench-launch.ts`.
 *
 * A message wakes the provisioning function, which decides and wakes the lifecycle function, which sends CreateFleet: there the
 * measurement ends. It does not include the time in the queue between the two. Kerf's own time is measured twice: as CPU time of
 * the thread that runs the functions, and as wall time without the waits for responses of an emulator or the API server.
 */
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { type Kerf, startKerf } from '../../test/aws/kerf.ts';
import { manifestsOf, podAt } from '../../test/aws/manifests.ts';
import type { Address } from '../../test/fakes/api-store.ts';
import { type LaunchCost, renderLaunch } from './render-launch.ts';
import { type Call, Traffic, waitedMs } from './traffic.ts';

const WARM_UP = 3;
const endpoint = process.env['KERF_API_SERVER'] ?? '';

/** The end of a measured interval. */
interface Mark {
  readonly atMs: number;
  readonly cpu: NodeJS.CpuUsage;
}

const mark = (): Mark => ({ atMs: performance.now(), cpu: process.threadCpuUsage() });
let fleetSent: Mark | undefined;
const traffic = new Traffic(endpoint, ({ api }) => {
  if (api === 'EC2 CreateFleet') fleetSent ??= mark();
});

const kerf = await startKerf(endpoint);
const costs: LaunchCost[] = [];
try {
  const { cluster: discovery, node } = kerf.world;
  for (const { address, object } of manifestsOf({ discovery, node, pods: [] })) {
    await send('POST', address, object);
  }
  const runs = WARM_UP + Number(process.argv[2] ?? 10);
  for (let run = 0; run < runs; run += 1) costs.push(await launchOnce(kerf, run));
} finally {
  await kerf.close();
}
console.log(renderLaunch(costs.slice(WARM_UP)));
// The SDK keeps its sockets open for a next call, which does not occur.
process.exit();

async function launchOnce({ world, ...functions }: Kerf, run: number): Promise<LaunchCost> {
  const [pod] = manifestsOf({ discovery: world.cluster, node: world.node, pods: [`web-${run}`] }).slice(-1);
  if (pod === undefined) throw new Error('the pod does not exist');
  await send('POST', pod.address, pod.object);
  traffic.take();
  fleetSent = undefined;
  const provisioning = await stretch(() => functions.wake('provisioning'));
  const nodeClaim = (await functions.claims()).find(({ launch }) => launch.kind === 'planned')?.name;
  if (nodeClaim === undefined) throw new Error(`run ${run}: the pod got no NodeClaim`);
  traffic.take();
  const lifecycle = await stretch(() => functions.wake('lifecycle', nodeClaim));
  await putAway(functions, `web-${run}`);
  const parts = [provisioning, lifecycle];
  return {
    cpuMs: sum(parts.map(({ cpuMs }) => cpuMs)),
    ownWallMs: sum(parts.map(({ ownWallMs }) => ownWallMs)),
    wallMs: sum(parts.map(({ wallMs }) => wallMs)),
    calls: parts.flatMap(({ calls }) => calls),
  };
}

/** From the start of an invocation to its end, or to the moment at which it sends CreateFleet. */
async function stretch(work: () => Promise<void>): Promise<LaunchCost> {
  const from = mark();
  await work();
  const to = fleetSent ?? mark();
  const calls: readonly Call[] = traffic.take();
  const wallMs = to.atMs - from.atMs;
  const cpuMs = (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / 1_000;
  const ownWallMs = wallMs - waitedMs(calls, from.atMs, to.atMs);
  return { cpuMs, ownWallMs, wallMs, calls: calls.map(({ api }) => api) };
}

/** Restores the cluster for the next run: no pod, no claim, no instance. */
async function putAway({ claims, release, ec2, tick }: Omit<Kerf, 'world'>, pod: string): Promise<void> {
  await send('DELETE', podAt(pod));
  for (const record of await claims()) {
    if (record.launch.kind !== 'launched')
      throw new Error(`${record.name} was not launched: ${JSON.stringify(record.launch)}`);
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [record.launch.instance.id] }));
    await release(record);
  }
  await tick();
}

async function send(method: 'POST' | 'DELETE', address: Address, body?: object): Promise<void> {
  const { group, namespace, resource, name } = address;
  const place = namespace === undefined ? resource : `namespaces/${namespace}/${resource}`;
  const url = `${endpoint}${group}/${place}${method === 'DELETE' ? `/${name}` : ''}`;
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
