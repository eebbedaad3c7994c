import type { Resources } from '../../resources/resources.ts';

/** Amounts by the position of the resource in a ResourceSpace: cpu in millicores, everything else in whole units. */
export type Vector = Float64Array;

/** The resources that the pods of a run request. Other resources are ignored. */
export interface ResourceSpace {
  readonly names: readonly string[];
}

const VOLUMES = 'attachable-volumes-csi-';
const VOLUMES_TRIED = 'attachable-volumes-tried-csi-';

/** B44: the name under which the volumes of a driver are counted, that of the kube-scheduler. No object of Kubernetes has this resource. */
export function volumeCount(driver: string): string {
  return VOLUMES + driver;
}

/** The name under which the volumes of a pod are counted that may try types without nodes. */
export function volumeCountTried(driver: string): string {
  return VOLUMES_TRIED + driver;
}

export interface VolumeCount {
  readonly driver: string;
  /** Whether it is the count of pods that may try types. */
  readonly tried: boolean;
}

/** *Shape:* undefined for other resources. */
function volumesCounted(name: string): VolumeCount | undefined {
  if (name.startsWith(VOLUMES)) return { driver: name.slice(VOLUMES.length), tried: false };
  return name.startsWith(VOLUMES_TRIED) ? { driver: name.slice(VOLUMES_TRIED.length), tried: true } : undefined;
}

/** More than any node attaches. Not Infinity: a product with zero must be zero. */
const ANY_VOLUMES = 1_000;

/** The positions of cpu and memory in every resource space. */
export const CPU = 0;
export const MEMORY = 1;

export function resourceSpace(requests: Iterable<Resources>): ResourceSpace {
  const names = new Set(['cpu', 'memory', 'pods']);
  for (const one of requests) for (const name in one) names.add(name);
  return { names: [...names] };
}

export function vectorOf({ names }: ResourceSpace, resources: Resources): Vector {
  return Float64Array.from(names, (name) => resources[name] ?? 0);
}

/** The room for these resources, and for volumes. @param limitOf the most volumes. @default any number */
export function roomVectorOf(
  { names }: ResourceSpace,
  resources: Resources,
  limitOf: (count: VolumeCount) => number | undefined = () => undefined,
): Vector {
  return Float64Array.from(names, (name) => {
    const count = volumesCounted(name);
    return count === undefined ? (resources[name] ?? 0) : (limitOf(count) ?? ANY_VOLUMES);
  });
}

/** The resources without the counts of volumes. */
export function resourcesOf({ names }: ResourceSpace, vector: Vector): Resources {
  return Object.fromEntries(
    names.flatMap((name, at) =>
      vector[at] === 0 || volumesCounted(name) !== undefined ? [] : [[name, vector[at] ?? 0]],
    ),
  );
}

export function fitsIn(requests: Vector, room: Vector): boolean {
  for (let at = 0; at < requests.length; at += 1) if ((requests[at] ?? 0) > (room[at] ?? 0)) return false;
  return true;
}

/** How many times the requests fit in the room. */
export function timesIn(requests: Vector, room: Vector): number {
  let times = Number.MAX_SAFE_INTEGER;
  for (let at = 0; at < requests.length; at += 1) {
    const amount = requests[at] ?? 0;
    if (amount > 0) times = Math.min(times, Math.floor((room[at] ?? 0) / amount));
  }
  return Math.max(0, times);
}

/** Subtracts `times` × `requests` from the room. */
export function takeFrom(room: Vector, requests: Vector, times = 1): void {
  for (let at = 0; at < room.length; at += 1) room[at] = (room[at] ?? 0) - times * (requests[at] ?? 0);
}

/** The sum of the products, over the length of the first. */
export function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

export function plus(a: Vector, b: Vector): Vector {
  return a.map((amount, at) => amount + (b[at] ?? 0));
}

export function minus(a: Vector, b: Vector): Vector {
  return a.map((amount, at) => amount - (b[at] ?? 0));
}
