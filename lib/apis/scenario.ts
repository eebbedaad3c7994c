import { parseDuration } from './formats/duration.ts';
import type { Condition, ObjectMeta } from './kubernetes.ts';
import type { CapacityType } from './labels.ts';
import { optional } from './optional.ts';

/** The node that an event affects. The simulator chooses among several with its seed. */
export type NodeChoice =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'nodePool'; readonly nodePool: string }
  | { readonly kind: 'any' };

/** An external event in the cluster. *Units:* `atMs` counts from the start of the simulation. */
export type ScenarioEvent =
  | { readonly kind: 'scale'; readonly atMs: number; readonly deployment: string; readonly replicas: number }
  | { readonly kind: 'deleteNode'; readonly atMs: number; readonly node: NodeChoice }
  | { readonly kind: 'interruptSpot'; readonly atMs: number; readonly nodePool?: string; readonly count: number }
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

/** An event of the manifest: `at` and exactly one of the other fields. */
export interface ScenarioManifestEvent {
  readonly at: string;
  readonly scale?: { readonly deployment: string; readonly replicas: number };
  readonly deleteNode?: { readonly name?: string; readonly nodePool?: string; readonly any?: boolean };
  readonly interruptSpot?: { readonly nodePool?: string; readonly count?: number };
  readonly withoutCapacity?: {
    readonly instanceTypes?: readonly string[];
    readonly zones?: readonly string[];
    readonly capacityTypes?: readonly CapacityType[];
    readonly for?: string;
  };
  readonly deletePod?: { readonly pod: string };
}

export interface ScenarioManifest {
  readonly apiVersion: 'kerf.dev/v1alpha1';
  readonly kind: 'Scenario';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly seed?: number;
    readonly region?: string;
    readonly duration?: string;
    readonly events: readonly ScenarioManifestEvent[];
  };
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
  const { scale, deleteNode, interruptSpot, withoutCapacity, deletePod } = event;
  if (scale !== undefined)
    return { kind: 'scale', atMs, deployment: inScenarioNamespace(scale.deployment), replicas: scale.replicas };
  if (deleteNode !== undefined) return { kind: 'deleteNode', atMs, node: parseNodeChoice(deleteNode) };
  if (interruptSpot !== undefined)
    return { kind: 'interruptSpot', atMs, ...interruptSpot, count: interruptSpot.count ?? 1 };
  if (deletePod !== undefined) return { kind: 'deletePod', atMs, pod: inScenarioNamespace(deletePod.pod) };
  if (withoutCapacity !== undefined) {
    const { for: length, ...what } = withoutCapacity;
    return { kind: 'withoutCapacity', atMs, ...what, ...(length !== undefined && { forMs: milliseconds(length) }) };
  }
  throw new RangeError(`the event at ${event.at} has no action`);
}

function parseNodeChoice(choice: NonNullable<ScenarioManifestEvent['deleteNode']>): NodeChoice {
  if (choice.name !== undefined) return { kind: 'name', name: choice.name };
  return choice.nodePool === undefined ? { kind: 'any' } : { kind: 'nodePool', nodePool: choice.nodePool };
}

function milliseconds(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new RangeError(`"${duration}" is not a duration; write it as 90s, 10m or 1h30m`);
  return ms;
}
