import { parseDuration } from '../formats/duration.ts';
import type { ScenarioManifest, ScenarioManifestEvent } from '../generated/scenario-manifest.ts';
import type { Condition } from '../kubernetes.ts';
import type { CapacityType } from '../labels.ts';
import { optional } from '../optional.ts';

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

/** An external event in the cluster. *Units:* `atMs` counts from the start of the simulation. */
export type ScenarioEvent =
  | { readonly kind: 'scale'; readonly atMs: number; readonly deployment: string; readonly replicas: number }
  | { readonly kind: 'deleteNode'; readonly atMs: number; readonly node: NodeChoice }
  | ({ readonly kind: 'interruptSpot'; readonly atMs: number; readonly count: number } & SpotChoice)
  | {
      readonly kind: 'withoutCapacity';
      readonly atMs: number;
      /** An absent list includes all values. */
      readonly instanceTypes?: readonly string[];
      readonly zones?: readonly string[];
      readonly capacityTypes?: readonly CapacityType[];
      /** Absent: until the end of the simulation. */
      readonly forMs?: number;
    }
  | {
      readonly kind: 'zoneOutage';
      readonly atMs: number;
      readonly zone: string;
      /** Whether the instances of the zone lose power too. */
      readonly nodes: boolean;
      /** Absent: until the end of the simulation. */
      readonly forMs?: number;
    }
  | { readonly kind: 'deletePod'; readonly atMs: number; readonly pod: string }
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
}

/** Converts a scenario to the form that the simulator runs. *Errors:* RangeError for a duration or event that validation rejects. */
export function parseScenario(manifest: ScenarioManifest): Scenario {
  const { seed, region, duration, events } = manifest.spec;
  return {
    name: manifest.metadata.name,
    ...optional({ seed, region }),
    ...(duration !== undefined && { durationMs: milliseconds(duration) }),
    events: events.map(parseEvent).toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** Adds the default namespace: `web` becomes `default/web`, `shop/web` is unchanged. */
export function inScenarioNamespace(reference: string): string {
  return reference.includes('/') ? reference : `default/${reference}`;
}

function parseEvent(event: ScenarioManifestEvent): ScenarioEvent {
  const atMs = milliseconds(event.at);
  const { scale, deleteNode, interruptSpot, withoutCapacity, zoneOutage, deletePod } = event;
  if (scale !== undefined)
    return { kind: 'scale', atMs, deployment: inScenarioNamespace(scale.deployment), replicas: scale.replicas };
  if (deleteNode !== undefined) return { kind: 'deleteNode', atMs, node: parseNodeChoice(deleteNode) };
  if (interruptSpot !== undefined)
    return { kind: 'interruptSpot', atMs, ...interruptSpot, count: interruptSpot.count ?? 1 };
  if (deletePod !== undefined) return { kind: 'deletePod', atMs, pod: inScenarioNamespace(deletePod.pod) };
  if (withoutCapacity !== undefined) {
    const { for: length, ...what } = withoutCapacity;
    return { kind: 'withoutCapacity', atMs, ...what, ...lasting(length) };
  }
  if (zoneOutage !== undefined) {
    const { for: length, zone, nodes = false } = zoneOutage;
    return { kind: 'zoneOutage', atMs, zone, nodes, ...lasting(length) };
  }
  throw new RangeError(`the event at ${event.at} has no action`);
}

function parseNodeChoice(choice: NonNullable<ScenarioManifestEvent['deleteNode']>): NodeChoice {
  if (choice.name !== undefined) return { kind: 'name', name: choice.name };
  return choice.nodePool === undefined ? { kind: 'any' } : { kind: 'nodePool', nodePool: choice.nodePool };
}

function lasting(length: string | undefined): { readonly forMs?: number } {
  return length === undefined ? {} : { forMs: milliseconds(length) };
}

function milliseconds(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new RangeError(`"${duration}" is not a duration; write it as 90s, 10m or 1h30m`);
  return ms;
}
