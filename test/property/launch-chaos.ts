import { formatTime, MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { LaunchOutcome } from '../../lib/ports/cloud-provider.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { withFaults } from '../../lib/simulator/faults.ts';
import type { Random } from '../../lib/simulator/random.ts';

/** Faults occur until then; in the rest of the time Kerf repairs their effects. */
export const CALM_FROM_MS = 12 * MINUTE_MS;
export const PODS_AT_END = 4;
/** The longest time from a launch until EC2 lists the instance. */
const LATEST_LISTED_MS = 45 * SECOND_MS;

export interface Chaos {
  /** In thousandths of all port calls. */
  readonly faults: number;
  /** How many calls after a fault fail as well, as in a function that is cut off. */
  readonly mostCutOff: number;
  /** In percent of the launches. */
  readonly oddAnswers: number;
  readonly listsLate: boolean;
  readonly wakes: 'once' | 'twice' | 'late' | 'lost';
  readonly invocations: number;
  /** Changes by users and by AWS, in thousandths of the lists that are read. */
  readonly meddling: number;
}

export function chaosOf(random: Random): Chaos {
  return {
    faults: random.pick([0, 5, 20, 60, 150]) ?? 0,
    mostCutOff: random.pick([0, 3, 20]) ?? 0,
    oddAnswers: random.pick([0, 10, 40]) ?? 0,
    listsLate: random.between(0, 2) === 1,
    wakes: random.pick(['once', 'twice', 'late', 'lost'] as const) ?? 'once',
    invocations: random.between(1, 4),
    meddling: random.pick([0, 10, 40]) ?? 0,
  };
}

/** Pods are created and deleted, and capacity and nodes are removed; at the end everything is scaled to zero. */
export function eventsOf(random: Random, endMs: number): readonly ScenarioEvent[] {
  const at = (): number => random.between(0, CALM_FROM_MS);
  const some: readonly ScenarioEvent[] = [
    { kind: 'scale', atMs: at(), deployment: 'default/web', replicas: random.between(0, 12) },
    { kind: 'interruptSpot', atMs: at(), count: random.between(1, 4) },
    { kind: 'deleteNode', atMs: at(), node: { kind: 'any' } },
    { kind: 'withoutCapacity', atMs: at(), capacityTypes: ['spot'], forMs: random.between(1, 6) * MINUTE_MS },
    { kind: 'withoutCapacity', atMs: at(), forMs: random.between(1, 4) * MINUTE_MS },
  ];
  const chosen = some.filter(() => random.between(0, 3) > 0);
  const last = [
    { kind: 'scale', atMs: CALM_FROM_MS, deployment: 'default/web', replicas: PODS_AT_END },
    { kind: 'scale', atMs: endMs, deployment: 'default/web', replicas: 0 },
  ] as const;
  return [...chosen.toSorted((a, b) => a.atMs - b.atMs), ...last];
}

/** Ports whose calls fail before or after their effect, and whose responses come in any order. */
export function inChaos(ports: ControllerPorts, chaos: Chaos, random: Random): ControllerPorts {
  const calmAtMs = ports.clock.now() + CALM_FROM_MS;
  const world: Hostile = { ports, chaos, random, isCalm: () => ports.clock.now() >= calmAtMs };
  const happens = (thousandths: number): boolean => !world.isCalm() && random.between(0, 1_000) < thousandths;
  let cutOff = 0;
  const odd: ControllerPorts = {
    ...ports,
    cloud: oddCloud(world, happens),
    cluster: meddledWith(world, happens),
    catalogue: {
      ...ports.catalogue,
      readCatalogue: async () => (happens(chaos.faults) ? undefined : ports.catalogue.readCatalogue()),
    },
    messages: { ...ports.messages, wake: wakesAs(world) },
  };
  return withFaults(odd, () => {
    if (world.isCalm()) return undefined;
    if (cutOff > 0) {
      cutOff -= 1;
      return 'before';
    }
    if (!happens(chaos.faults)) return undefined;
    cutOff = random.between(0, chaos.mostCutOff + 1);
    return random.between(0, 2) === 0 ? 'before' : 'after';
  });
}

interface Hostile {
  readonly ports: ControllerPorts;
  readonly chaos: Chaos;
  readonly random: Random;
  readonly isCalm: () => boolean;
}

type Happens = (thousandths: number) => boolean;

/** EC2 with unusual responses, late lists, and instances that a user terminates in the console. */
function oddCloud({ ports, chaos, random, isCalm }: Hostile, happens: Happens): ControllerPorts['cloud'] {
  const { cloud, clock } = ports;
  return {
    ...cloud,
    launch: async (request) => {
      if (!happens(chaos.oddAnswers * 10)) return cloud.launch(request);
      return oddAnswer(random, async () => cloud.launch(request));
    },
    describeInstances: async (cluster, ids) => {
      const all = await cloud.describeInstances(cluster, ids);
      const victim = happens(chaos.meddling) ? random.pick(all) : undefined;
      if (victim !== undefined) await cloud.terminate(cluster, victim.id);
      if (!chaos.listsLate || isCalm()) return all;
      const lagMs = random.between(0, LATEST_LISTED_MS);
      return all.filter(({ launchedAtMs }) => clock.now() - launchedAtMs >= lagMs);
    },
  };
}

/** NodeClasses are edited or absent for a moment; NodeClaims are deleted. */
function meddledWith(
  { ports: { cluster, clock }, chaos, random }: Hostile,
  happens: Happens,
): ControllerPorts['cluster'] {
  const deleted = new Set<string>();
  let edits = 0;
  return {
    ...cluster,
    listNodeClasses: async () => {
      if (happens(chaos.meddling)) return [];
      if (happens(chaos.meddling)) edits += 1;
      const tags = { edit: `${edits}` };
      return (await cluster.listNodeClasses()).map((one) => ({ ...one, spec: { ...one.spec, tags } }));
    },
    listNodeClaims: async () => {
      const all = await cluster.listNodeClaims();
      const victim = happens(chaos.meddling) ? random.pick(all) : undefined;
      if (victim !== undefined) deleted.add(victim.metadata.name);
      const deletionTimestamp = formatTime(clock.now());
      return all.map((one) =>
        deleted.has(one.metadata.name) ? { ...one, metadata: { ...one.metadata, deletionTimestamp } } : one,
      );
    },
  };
}

type Wake = ControllerPorts['messages']['wake'];

function wakesAs({ ports: { messages }, chaos, random, isCalm }: Hostile): Wake {
  return async (target, wake, delayMs = 0) => {
    const how = isCalm() ? 'once' : chaos.wakes;
    if (how === 'lost') return;
    const lateMs = how === 'late' ? random.between(0, 90 * SECOND_MS) : 0;
    await messages.wake(target, wake, delayMs + lateMs);
    if (how === 'twice' && random.between(0, 4) === 0)
      await messages.wake(target, wake, delayMs + random.between(0, 10 * SECOND_MS));
  };
}

/** Any response of EC2 to a launch that it makes or does not make. `refused` is returned only if nothing was launched. */
async function oddAnswer(random: Random, launch: () => Promise<LaunchOutcome>): Promise<LaunchOutcome> {
  switch (random.between(0, 5)) {
    case 0:
      throw new UnreachableError('throttled');
    case 1:
      return { kind: 'rejected', missing: [], message: 'UnauthorizedOperation' };
    case 2:
      await launch();
      throw new UnreachableError('the reply was lost');
    case 3:
      await launch();
      return { kind: 'spent', missing: [], message: 'the token is known' };
    default:
      return launch();
  }
}
