import { MINUTE_MS } from '../../apis/formats/time.ts';
import { isRecord, textField } from '../../apis/record.ts';
import { ALL_CLUSTERS } from '../delivery/catalogue-wake.ts';
import { isOver } from './event-life.ts';
import { parseInterruption } from './message.ts';

/** What a dead letter is about. */
export interface DescribedLetter {
  /** `spot-interruption of i-1`, `wake of demo: tick`. */
  readonly about: string;
  /** Whether its delivery would no longer change anything. */
  readonly isOver: boolean;
}

/**
 * A wake is over after a minute, because a tick has replaced it. One of the catalogue (`*`) is over at once: its function has no queue,
 * and no other function can handle it. A message that cannot be read is not over.
 */
export function describeLetter(
  body: string,
  times: { readonly sentAtMs: number; readonly nowMs: number },
): DescribedLetter {
  const { sentAtMs, nowMs } = times;
  const content = parsed(body);
  const [cluster, reason] = [textField(content, 'cluster'), textField(content, 'reason')];
  if (cluster !== undefined && reason !== undefined) {
    if (cluster === ALL_CLUSTERS) return { about: `refresh of the catalogue: ${reason}`, isOver: true };
    return { about: `wake of ${cluster}: ${reason}`, isOver: nowMs - sentAtMs > MINUTE_MS };
  }
  const event = parseInterruption(content);
  if (event.kind !== 'message') {
    const type = isRecord(content) ? textField(content, 'detail-type') : undefined;
    return { about: `${type ?? 'a message'} that cannot be read: ${event.why}`, isOver: event.kind === 'irrelevant' };
  }
  const { kind, instanceIds } = event.message;
  return { about: `${kind} of ${instanceIds.join(', ')}`, isOver: isOver(event.message, nowMs) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
