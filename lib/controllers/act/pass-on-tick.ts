import type { NodePool } from '../../apis/node-pool.ts';
import { canWait } from '../../core/cluster/at-rest.ts';
import { claimsDigest } from '../../core/cluster/claims-digest.ts';
import { isProvisionable } from '../../core/cluster/pods.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { readOr } from '../../core/observed.ts';
import { isActiveBuffer } from '../../core/provisioning/buffer-pods.ts';
import { missingNodes, staticCount } from '../../core/provisioning/static-capacity.ts';
import { PortError } from '../../ports/errors.ts';
import type { Wake, WakeTarget } from '../../ports/messages.ts';
import { type Readings, readings } from '../observe/readings.ts';
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

/** Provisioning also finishes open decisions. */
async function mayProvision(ports: TickPorts, cluster: string, claims: Claims | undefined): Promise<boolean> {
  if (claims === undefined || (await ports.store.openDecisions(cluster)).length > 0) return true;
  const log = readings();
  return (await needsDecision(ports, async () => claims, log)) || log.failures.size > 0;
}

/**
 * Whether there are pending pods, nodes that are being removed, with pods to move (B1), static NodePools that lack nodes (D31), or
 * active CapacityBuffers (B65).
 */
export async function needsDecision(
  ports: ReadsCluster & HasClock & HasSettings,
  listClaims: () => Promise<Claims>,
  log: Readings,
): Promise<boolean> {
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  const waiting = (await ports.cluster.listUnboundPods()).filter(isProvisionable);
  if (waiting.some((pod) => !canWait(pod, ignoreAtZero, nowMs))) return true;
  const records = await listClaims();
  // Pods that can wait are placed only on existing or planned nodes.
  if (waiting.length > 0 && (records.length > 0 || (await ports.cluster.listNodes()).length > 0)) return true;
  if (records.some((record) => record.deletion !== undefined)) return true;
  const { capacityBuffer, staticCapacity } = ports.settings.featureGates;
  if (staticCapacity && (await ports.cluster.listNodePools()).some((nodePool) => lacksNodes(nodePool, records)))
    return true;
  if (!capacityBuffer) return false;
  const buffers = await log.observe('CapacityBuffers', async () => ports.cluster.listCapacityBuffers());
  return readOr(buffers, []).some(isActiveBuffer);
}

function lacksNodes(nodePool: NodePool, records: Claims): boolean {
  const count = staticCount(nodePool, records);
  return count !== undefined && missingNodes(count) > 0;
}
