/** What EC2 and AWS Health say through EventBridge about instances (C79, C80). */
export type InterruptionMessage =
  | { readonly kind: 'spot-interruption'; readonly instanceIds: readonly string[] }
  | { readonly kind: 'rebalance-recommendation'; readonly instanceIds: readonly string[] }
  | { readonly kind: 'state-change'; readonly state: string; readonly instanceIds: readonly string[] }
  | { readonly kind: 'scheduled-change'; readonly instanceIds: readonly string[] }
  | { readonly kind: 'reservation-interruption'; readonly instanceIds: readonly string[] };

const DETAIL_TYPES: Readonly<Record<string, InterruptionMessage['kind']>> = {
  'EC2 Spot Instance Interruption Warning': 'spot-interruption',
  'EC2 Instance Rebalance Recommendation': 'rebalance-recommendation',
  'EC2 Instance State-change Notification': 'state-change',
  'AWS Health Event': 'scheduled-change',
  'EC2 Capacity Reservation Instance Interruption Warning': 'reservation-interruption',
};

/** *Errors:* undefined for an envelope that we do not know: the caller lets it fail, so that it is kept, not dropped. */
export function parseInterruption(event: unknown): InterruptionMessage | undefined {
  if (!isRecord(event) || !isRecord(event['detail'])) return undefined;
  const { detail } = event;
  const type = String(event['detail-type']);
  const kind = Object.hasOwn(DETAIL_TYPES, type) ? DETAIL_TYPES[type] : undefined;
  if (kind === undefined) return undefined;
  if (kind === 'scheduled-change') return { kind, instanceIds: affectedInstances(detail) };
  const instanceId = detail['instance-id'];
  if (typeof instanceId !== 'string') return undefined;
  if (kind === 'state-change') return { kind, state: String(detail['state']).toLowerCase(), instanceIds: [instanceId] };
  return { kind, instanceIds: [instanceId] };
}

/** C80: only scheduled changes of EC2 concern us. They name what they are about in a list, volumes and others among it. */
function affectedInstances(detail: Readonly<Record<string, unknown>>): readonly string[] {
  const entities: unknown = detail['affectedEntities'];
  if (detail['service'] !== 'EC2' || detail['eventTypeCategory'] !== 'scheduledChange') return [];
  if (!Array.isArray(entities)) return [];
  return entities.flatMap((entity: unknown) => {
    const value = isRecord(entity) ? entity['entityValue'] : undefined;
    return typeof value === 'string' && value.startsWith('i-') ? [value] : [];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
