import { claimsDigest } from '../../core/cluster/claims-digest.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { PortError } from '../../ports/errors.ts';
import type { Wake, WakeTarget } from '../../ports/messages.ts';
import { readings } from '../observe/readings.ts';
import { observeNeed } from '../provisioning/observe-need.ts';
import { reasonsOf } from '../run/coalesce-wakes.ts';
import { guarded } from '../run/guard.ts';
import type {
  HasClock,
  HasSettings,
  ReadsClaims,
  ReadsCluster,
  Reconcile,
  RecordsDecisions,
  SendsWakes,
  UsesCommands,
} from '../run/ports.ts';
import { sendWakes } from '../run/wake-up.ts';

type TickPorts = ReadsCluster & ReadsClaims & RecordsDecisions & UsesCommands & SendsWakes & HasClock & HasSettings;
type Claims = readonly NodeClaimRecord[];

/**
 * The guarded run of lifecycle. A tick reaches lifecycle and termination (`ticks.ts`). Lifecycle also wakes provisioning and disruption if
 * there is work for them, from one list of the NodeClaims, beside its own work. What cannot be read may be work. *Cost:* a list of unbound
 * pods, and two small queries.
 */
export function guardedWithTicks(reconcile: Reconcile): Reconcile {
  return guarded('lifecycle', async (ports, wake) => {
    if (!isTick(ports, wake)) return reconcile(ports, wake);
    const claims = ports.store.listNodeClaims(wake.cluster);
    const [run, lost] = await Promise.allSettled([
      reconcile(ports, { ...wake, claims }),
      passOnTick(ports, wake.cluster, claims),
    ]);
    if (run.status === 'rejected') throw run.reason;
    if (lost.status === 'rejected') throw lost.reason;
    return { ...run.value, failures: [...run.value.failures, ...lost.value] };
  });
}

/** In shadow, the functions that decide have ticks of their own. */
function isTick({ settings }: HasSettings, wake: Wake): boolean {
  return wake.nodeClaim === undefined && !settings.shadow && reasonsOf(wake).includes('tick');
}

function tickOf(target: WakeTarget, cluster: string, claims?: Claims): readonly [WakeTarget, Wake] {
  return [target, { cluster, reason: 'tick', ...(claims && { claimsDigest: claimsDigest(claims) }) }];
}

/** *Shape:* the failures of wakes that could not be sent. The woken functions report what cannot be read. */
async function passOnTick(ports: TickPorts, cluster: string, listed: Promise<Claims>): Promise<readonly Error[]> {
  const claims = await known(listed);
  const [disruption, provisioning] = await Promise.all([
    known(mayDisrupt(ports, cluster, claims)),
    known(mayProvision(ports, cluster, claims)),
  ]);
  const lost: Error[] = [];
  if (disruption !== false) lost.push(...(await sendWakes(ports, [tickOf('disruption', cluster, claims)])));
  if (provisioning !== false) lost.push(...(await sendWakes(ports, [tickOf('provisioning', cluster)])));
  return lost;
}

/** *Shape:* undefined if it cannot be read. */
async function known<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return undefined;
  }
}

/** A command may outlive its nodes. */
async function mayDisrupt({ store }: UsesCommands, cluster: string, claims: Claims | undefined): Promise<boolean> {
  return claims === undefined || claims.length > 0 || (await store.listCommands(cluster)).length > 0;
}

/** Provisioning also finishes open decisions. Lifecycle has no right to read those in the bucket. */
async function mayProvision(ports: TickPorts, cluster: string, claims: Claims | undefined): Promise<boolean> {
  if (claims === undefined || (await ports.store.hasOpenDecisions(cluster))) return true;
  const log = readings();
  const { kind } = await observeNeed(ports, async () => claims, log);
  return kind === 'decision' || log.failures.size > 0;
}
