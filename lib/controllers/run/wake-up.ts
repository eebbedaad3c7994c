import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Due } from '../../core/model/decision.ts';
import type { WakeTarget } from '../../ports/messages.ts';
import type { HasClock, SendsWakes } from './ports.ts';

/** The tick comes every minute: what falls due later is armed by a tick that is nearer, so wakes do not pile up. */
const TICK_MS = MINUTE_MS;

/** Sends the function a wake for the first thing that falls due before a tick will look anyway. */
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
