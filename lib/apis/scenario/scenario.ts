import type {
  ScenarioManifest,
  ScenarioManifestEvent,
  ScenarioManifestSpotInterruptions,
} from '../generated/scenario-manifest.ts';
import type { Condition } from '../kubernetes.ts';
import type { CapacityType } from '../labels.ts';
import { optional } from '../optional.ts';
import { SCALABLE_KINDS, type WorkloadReference } from '../workloads.ts';
import type { FaultKind } from './fault-kind.ts';
import { type Load, parseLoad, parsePeriod } from './load.ts';
import { milliseconds } from './milliseconds.ts';
import { parseFault } from './parse-fault.ts';
import type { ThrottledApi } from './port-calls.ts';
import type { TraceSource } from './trace.ts';
import type { UsageCurve } from './usage.ts';

/** The node that an event affects. The simulator chooses among several with its seed. */
export type NodeChoice =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'nodePool'; readonly nodePool: string }
  | { readonly kind: 'any' };

/** Spot instances. An absent field matches all of them. */
export interface SpotChoice {
  readonly nodePool?: string;
  readonly zones?: readonly string[];
  readonly instanceTypes?: readonly string[];
}

/** The vCPUs that running instances of a group of families may have. */
export interface VcpuQuota {
  /** On-demand includes reserved capacity. */
  readonly capacityType: 'on-demand' | 'spot';
  readonly family: QuotaFamily;
  readonly vcpus: number;
}

/** The groups of instance families as EC2 counts them. */
export type QuotaFamily = NonNullable<NonNullable<ScenarioManifestEvent['quota']>['family']>;

interface Lasting {
  readonly atMs: number;
  /** @default until the end of the simulation */
  readonly forMs?: number;
}

/** An external event in the cluster. *Units:* `atMs` counts from the start of the simulation. */
export type ScenarioEvent =
  | ({ readonly kind: 'scale'; readonly atMs: number; readonly replicas: number } & (
      | { readonly deployment: string }
      | { readonly workload: WorkloadReference }
    ))
  | { readonly kind: 'deleteNode'; readonly atMs: number; readonly node: NodeChoice }
  | ({ readonly kind: 'interruptSpot'; readonly atMs: number; readonly count: number } & SpotChoice)
  | ({
      readonly kind: 'withoutCapacity';
      /** An absent list includes all values. */
      readonly instanceTypes?: readonly string[];
      readonly zones?: readonly string[];
      readonly capacityTypes?: readonly CapacityType[];
    } & Lasting)
  | ({
      readonly kind: 'zoneOutage';
      readonly zone: string;
      /** Whether the instances of the zone lose power too. */
      readonly nodes: boolean;
    } & Lasting)
  | ({ readonly kind: 'throttle'; readonly api: ThrottledApi; readonly percent: number } & Lasting)
  | ({
      readonly kind: 'boots';
      readonly slowByMs?: number;
      readonly failPercent: number;
      readonly instanceTypes?: readonly string[];
      readonly zones?: readonly string[];
    } & Lasting)
  | ({ readonly kind: 'quota' } & VcpuQuota & Lasting)
  | ({ readonly kind: 'fault'; readonly fault: FaultKind } & Lasting)
  | { readonly kind: 'deletePod'; readonly atMs: number; readonly pod: string }
  /** AWS publishes new images, which an alias with @latest selects. */
  | { readonly kind: 'releaseImages'; readonly atMs: number; readonly version: string }
  /** No field of a manifest: for tests. */
  | ({ readonly kind: 'nodeCondition'; readonly atMs: number; readonly node: NodeChoice } & Pick<
      Condition,
      'type' | 'status'
    >);

export interface Scenario {
  readonly name: string;
  readonly seed?: number;
  readonly region?: string;
  readonly durationMs?: number;
  /** Ordered by time; events at the same time in the order of the manifest. */
  readonly events: readonly ScenarioEvent[];
  /** @default none */
  readonly loads?: readonly Load[];
  /** @default none */
  readonly usage?: readonly UsageCurve[];
  /** The trace of the manifest. Its rows are read separately. */
  readonly trace?: TraceSource;
  /** @default none */
  readonly spotInterruptions?: readonly SpotInterruptions[];
}

/** Spot interruptions at random times: a share of the instances an hour, or a number an hour. */
export interface SpotInterruptions extends SpotChoice {
  readonly rate: { readonly percentPerHour: number } | { readonly perHour: number };
  readonly fromMs: number;
  /** @default until the end of the simulation */
  readonly toMs?: number;
}

/**
 * Converts a scenario of a file to the form that the simulator runs. *Errors:* RangeError for a duration or event that validation
 * rejects.
 */
export function parseScenario(manifest: ScenarioManifest, file = ''): Scenario {
  const { seed, region, duration, events = [], usage, loads, trace, spotInterruptions } = manifest.spec;
  return {
    name: manifest.metadata.name,
    ...optional({ seed, region }),
    ...(duration !== undefined && { durationMs: milliseconds(duration) }),
    events: events.map(parseEvent).toSorted((a, b) => a.atMs - b.atMs),
    ...(usage !== undefined && { usage: usage.map(parseUsage) }),
    ...(loads !== undefined && { loads: loads.map(parseLoad) }),
    ...(trace !== undefined && { trace: { ...trace, declaredIn: file } }),
    ...(spotInterruptions !== undefined && { spotInterruptions: spotInterruptions.map(parseInterruptions) }),
  };
}

function parseInterruptions({
  ratePercentPerHour,
  perHour = 0,
  from,
  to,
  ...choice
}: ScenarioManifestSpotInterruptions): SpotInterruptions {
  const rate = ratePercentPerHour === undefined ? { perHour } : { percentPerHour: ratePercentPerHour };
  return { rate, ...choice, ...parsePeriod({ from, to }) };
}

/** Adds the default namespace: `web` becomes `default/web`, `shop/web` is unchanged. */
export function inScenarioNamespace(reference: string): string {
  return reference.includes('/') ? reference : `default/${reference}`;
}

/** Parses `StatefulSet/db` or `StatefulSet/shop/db`. *Errors:* RangeError for another kind. */
export function parseWorkload(text: string): WorkloadReference {
  const slash = text.indexOf('/');
  const kind = SCALABLE_KINDS.find((one) => one === text.slice(0, slash));
  if (kind === undefined) throw new RangeError(`"${text}" is not a workload; write StatefulSet/NAME`);
  return { kind, key: inScenarioNamespace(text.slice(slash + 1)) };
}

type Usage = NonNullable<ScenarioManifest['spec']['usage']>[number];

function parseUsage({ target, cpu, repeats }: Usage): UsageCurve {
  const points = cpu.map(({ at, total }) => ({ atMs: milliseconds(at), cores: total }));
  return {
    workload: parseWorkload(target),
    points: points.toSorted((a, b) => a.atMs - b.atMs),
    ...(repeats !== undefined && { repeatsMs: milliseconds(repeats) }),
  };
}

function parseEvent(event: ScenarioManifestEvent): ScenarioEvent {
  const atMs = milliseconds(event.at);
  const { scale, deleteNode, interruptSpot, deletePod, releaseImages } = event;
  if (scale?.workload !== undefined)
    return { kind: 'scale', atMs, workload: parseWorkload(scale.workload), replicas: scale.replicas };
  if (scale?.deployment !== undefined)
    return { kind: 'scale', atMs, deployment: inScenarioNamespace(scale.deployment), replicas: scale.replicas };
  if (deleteNode !== undefined) return { kind: 'deleteNode', atMs, node: parseNodeChoice(deleteNode) };
  if (interruptSpot !== undefined)
    return { kind: 'interruptSpot', atMs, ...interruptSpot, count: interruptSpot.count ?? 1 };
  if (deletePod !== undefined) return { kind: 'deletePod', atMs, pod: inScenarioNamespace(deletePod.pod) };
  if (releaseImages !== undefined) return { kind: 'releaseImages', atMs, ...releaseImages };
  const lasting = parseLasting(event);
  if (lasting !== undefined) return lasting;
  throw new RangeError(`the event at ${event.at} has no action`);
}

/** *Shape:* undefined for an event at one moment. */
function parseLasting(event: ScenarioManifestEvent): ScenarioEvent | undefined {
  const { withoutCapacity, zoneOutage, throttle, boots, quota, fault } = event;
  const of = (length: string | undefined): Lasting => ({
    atMs: milliseconds(event.at),
    ...(length !== undefined && { forMs: milliseconds(length) }),
  });
  if (withoutCapacity !== undefined) {
    const { for: length, ...what } = withoutCapacity;
    return { kind: 'withoutCapacity', ...what, ...of(length) };
  }
  if (zoneOutage !== undefined) {
    const { for: length, zone, nodes = false } = zoneOutage;
    return { kind: 'zoneOutage', zone, nodes, ...of(length) };
  }
  if (throttle !== undefined) {
    const { for: length, api, percent = 50 } = throttle;
    return { kind: 'throttle', api, percent, ...of(length) };
  }
  if (boots !== undefined) {
    const { for: length, slowBy, failPercent = 0, ...where } = boots;
    const slow = slowBy === undefined ? {} : { slowByMs: milliseconds(slowBy) };
    return { kind: 'boots', failPercent, ...slow, ...where, ...of(length) };
  }
  if (quota !== undefined) {
    const { for: length, family = 'standard', ...what } = quota;
    return { kind: 'quota', family, ...what, ...of(length) };
  }
  return fault === undefined ? undefined : { kind: 'fault', fault: parseFault(fault), ...of(fault.for) };
}

function parseNodeChoice(choice: NonNullable<ScenarioManifestEvent['deleteNode']>): NodeChoice {
  if (choice.name !== undefined) return { kind: 'name', name: choice.name };
  return choice.nodePool === undefined ? { kind: 'any' } : { kind: 'nodePool', nodePool: choice.nodePool };
}
