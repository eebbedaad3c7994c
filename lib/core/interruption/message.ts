import { parseTime } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { isRecord, type UnknownRecord } from '../../apis/record.ts';

/** An event of EC2 or AWS Health about instances, received through EventBridge (C79, C80). */
export type InterruptionMessage =
  | ({ readonly kind: 'spot-interruption' } & About)
  | ({ readonly kind: 'rebalance-recommendation' } & About)
  | ({ readonly kind: 'state-change'; readonly state: InstanceState } & About)
  | ({ readonly kind: 'scheduled-change' } & About)
  | ({ readonly kind: 'reservation-interruption' } & About);

interface About {
  readonly instanceIds: readonly string[];
  /** The time of the event. It is the same when the message is delivered again. */
  readonly atMs: number;
  /** Entities of the event that cannot be read, for the failure with which the event is kept. @default none */
  readonly setAside?: readonly string[];
}

const INSTANCE_STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated'] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];

export type ParsedInterruption =
  | { readonly kind: 'message'; readonly message: InterruptionMessage }
  /** Valid, and without effect on Kerf. */
  | { readonly kind: 'irrelevant'; readonly why: string }
  /** The caller fails, so that the message goes to the dead-letter queue: it may have been an interruption warning. */
  | { readonly kind: 'not-understood'; readonly why: string };

/** The supported version of EventBridge's envelope. */
const VERSION = '0';

interface Source {
  readonly source: string;
  readonly parse: (envelope: UnknownRecord, detail: UnknownRecord, atMs: number) => ParsedInterruption;
}

const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['EC2 Spot Instance Interruption Warning', ofInstance('spot-interruption')],
  ['EC2 Instance Rebalance Recommendation', ofInstance('rebalance-recommendation')],
  ['EC2 Instance State-change Notification', { source: 'aws.ec2', parse: parseStateChange }],
  ['AWS Health Event', { source: 'aws.health', parse: parseHealth }],
  ['EC2 Capacity Reservation Instance Interruption Warning', ofInstance('reservation-interruption')],
  // The EC2 guide also uses this name.
  ['EC2 Interruptible Capacity Reservation Instance Interruption Warning', ofInstance('reservation-interruption')],
]);

/** Parses an event of EventBridge. An envelope of another version or shape is rejected. */
export function parseInterruption(event: unknown): ParsedInterruption {
  if (!isRecord(event)) return notUnderstood('it is not an object');
  const { version, source, detail, time } = event;
  const type = event['detail-type'];
  if (version !== VERSION) return notUnderstood(`its version is ${shown(version)}, not "${VERSION}"`);
  const known = typeof type === 'string' ? SOURCES.get(type) : undefined;
  if (known === undefined) return notUnderstood(`its detail-type is ${shown(type)}`);
  if (source !== known.source) return notUnderstood(`its source is ${shown(source)}, not "${known.source}"`);
  if (!isRecord(detail)) return notUnderstood(`its detail is ${shown(detail)}`);
  const atMs = instantOf(time);
  if (atMs === undefined) return notUnderstood(`its time is ${shown(time)}`);
  return known.parse(event, detail, atMs);
}

function ofInstance(kind: Exclude<InterruptionMessage['kind'], 'state-change'>): Source {
  return {
    source: 'aws.ec2',
    parse: (_, detail, atMs) => {
      const id = detail['instance-id'];
      if (!isInstanceId(id)) return notUnderstood(`its instance-id is ${shown(id)}`);
      return { kind: 'message', message: { kind, instanceIds: [id], atMs } };
    },
  };
}

function parseStateChange(_: UnknownRecord, detail: UnknownRecord, atMs: number): ParsedInterruption {
  const { state } = detail;
  const id = detail['instance-id'];
  if (!isInstanceId(id)) return notUnderstood(`its instance-id is ${shown(id)}`);
  const known = INSTANCE_STATES.find((each) => typeof state === 'string' && each === state.toLowerCase());
  if (known === undefined) return notUnderstood(`its state is ${shown(state)}`);
  return { kind: 'message', message: { kind: 'state-change', state: known, instanceIds: [id], atMs } };
}

/** C80: only scheduled changes of EC2 that are not closed apply. They name the affected resources, which include volumes. */
function parseHealth(envelope: UnknownRecord, detail: UnknownRecord, atMs: number): ParsedInterruption {
  const { service, eventTypeCategory: category, statusCode, affectedEntities: entities = [] } = detail;
  const { resources = [] } = envelope;
  if (typeof service !== 'string' || typeof category !== 'string')
    return notUnderstood(`its service is ${shown(service)} and its category is ${shown(category)}`);
  if (service !== 'EC2' || category !== 'scheduledChange')
    return { kind: 'irrelevant', why: `${category} of ${service}: only scheduledChange of EC2 terminates instances` };
  if (statusCode === 'closed') return { kind: 'irrelevant', why: 'the scheduled change is closed' };
  if (!Array.isArray(entities) || !Array.isArray(resources))
    return notUnderstood(`its affectedEntities are ${shown(entities)} and its resources are ${shown(resources)}`);
  const related: readonly unknown[] = resources;
  const named: readonly unknown[] = entities.map((entity: unknown) =>
    isRecord(entity) ? entity['entityValue'] : undefined,
  );
  const unreadable = entities.filter((_, index) => typeof named[index] !== 'string').map(shown);
  const setAside = unreadable.length === 0 ? undefined : unreadable;
  const instanceIds = [...new Set([...named, ...related].flatMap(instanceIdIn))];
  return { kind: 'message', message: { kind: 'scheduled-change', instanceIds, atMs, ...optional({ setAside }) } };
}

/** AWS Health identifies an entity by its id or its ARN. */
function instanceIdIn(value: unknown): string[] {
  if (typeof value !== 'string') return [];
  const id = /^(?:arn:[^:]+:ec2:[^:]*:[^:]*:instance\/)?(i-[0-9a-z]+)$/.exec(value)?.[1];
  return id === undefined ? [] : [id];
}

function isInstanceId(value: unknown): value is string {
  return typeof value === 'string' && /^i-[0-9a-z]+$/.test(value);
}

function instantOf(time: unknown): number | undefined {
  if (typeof time !== 'string') return undefined;
  try {
    return parseTime(time);
  } catch {
    return undefined;
  }
}

function notUnderstood(why: string): ParsedInterruption {
  return { kind: 'not-understood', why };
}

/** The value as JSON, shortened for logs. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 60);
}
