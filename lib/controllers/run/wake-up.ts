import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Due } from '../../core/model/decision.ts';
import type { WakeTarget } from '../../ports/messages.ts';
import type { HasClock, SendsWakes } from './ports.ts';

/** Ticks come every minute. A later tick sends the wake for a later due time, so that wakes do not accumulate. */
const TICK_MS = MINUTE_MS;

/** Sends the function a delayed wake for the first due time, if it is before the next tick. */
export async function armWakeUp(
  ports: SendsWakes & HasClock,
  target: WakeTarget,
  { cluster, due }: { readonly cluster: string; readonly due: readonly Due[] },
): Promise<void> {
  const now = ports.clock.now();
  const next = Math.min(...due.map(({ atMs }) => atMs));
  if (next >= now + TICK_MS) return;
  await ports.messages.wake(target, { cluster, reason: 'due', dueMs: next }, Math.max(0, next - now));
}
