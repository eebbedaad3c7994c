import { SECOND_MS } from '../../apis/formats/time.ts';
import { type AutoModeSigns, activeAutoscalers, ignoredAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { read, readOr } from '../../core/observed.ts';
import { PortError, RefusedError } from '../../ports/errors.ts';
import { isNewFailure } from '../act/is-new-refusal.ts';
import type { AutoscalersAnswer, RemembersAutoscalers } from '../act/last-autoscalers.ts';
import type { HasClock, ReadsAutoMode, ReadsCluster, RemembersRefusals } from '../run/ports.ts';
import { readings } from './readings.ts';

export interface ObservedAutoscalers {
  /** A refusal for each active autoscaler, with what to do. Empty if only Kerf is active. */
  readonly otherAutoscalers: readonly Blocked[];
  /** The signs that do not count, because a user of one namespace can create them. @default none was found */
  readonly ignored?: Blocked;
  /** Whether no deployment of Kerf is known to hold the cluster. */
  readonly isUnclaimed: boolean;
  /** Whether the API of the cluster did not answer, and this is its last answer. */
  readonly isLast: boolean;
  /** Signs that could not be read. */
  readonly unknown: readonly Error[];
}

export type AutoscalerPorts = HasClock &
  ReadsAutoMode &
  RemembersRefusals &
  RemembersAutoscalers & {
    readonly cluster: Pick<ReadsCluster['cluster'], 'findOtherAutoscalers' | 'listAutoModePools'>;
  };

/**
 * Checks whether Karpenter, EKS Auto Mode or another deployment of Kerf is active in the cluster. Every run calls it.
 *
 * Signs that Kerf may not read are reported, and Kerf continues: otherwise a lost permission would stop the autoscaling of a
 * cluster without another autoscaler. If the cluster's API does not answer, the last answer of this process is used for some
 * minutes, and reported. If EKS does not answer, the NodePools of Auto Mode in the cluster are a sign.
 * *Errors:* UnreachableError of the cluster's API, without an answer.
 */
export async function observeOtherAutoscalers(ports: AutoscalerPorts, cluster: string): Promise<ObservedAutoscalers> {
  const [{ traces, atMs, isLast, failures }, eks] = await Promise.all([
    readTraces(ports, cluster),
    readAutoMode(ports),
  ]);
  const { autoMode, autoModePools } = eks;
  const otherAutoscalers = activeAutoscalers(cluster, { ...traces, autoMode, autoModePools }, atMs);
  const ignored = ignoredAutoscalers(cluster, traces, atMs);
  const unread = traces.unread.map((why) => {
    const cause = new RefusedError(why);
    return new Error(`failed to check for other autoscalers: ${why}`, { cause });
  });
  const isUnclaimed = traces.claim === undefined;
  const unknown = [...failures, ...unread, ...eks.unknown].filter((failure) => isNew(ports, cluster, failure));
  return { otherAutoscalers, ...(ignored && { ignored }), isUnclaimed, isLast, unknown };
}

/** A sign that Kerf may not read is refused in every run. */
function isNew(ports: AutoscalerPorts, cluster: string, { cause, message }: Error): boolean {
  return !(cause instanceof RefusedError) || isNewFailure(ports, `${cluster}: other autoscalers`, message);
}

interface Answer extends AutoscalersAnswer {
  readonly isLast: boolean;
  readonly failures: readonly Error[];
}

async function readTraces({ cluster: api, clock, autoscalers }: AutoscalerPorts, cluster: string): Promise<Answer> {
  try {
    const answer = { traces: await api.findOtherAutoscalers(), atMs: clock.now() };
    autoscalers?.keep(cluster, answer);
    return { ...answer, isLast: false, failures: [] };
  } catch (cause) {
    const nowMs = clock.now();
    const last = autoscalers?.recall(cluster, nowMs);
    if (!(cause instanceof PortError) || last === undefined) throw cause;
    const seconds = Math.round((nowMs - last.atMs) / SECOND_MS);
    const message = `failed to check for other autoscalers, so the answer of ${seconds} s before is used: ${cause.message}`;
    return { ...last, isLast: true, failures: [new Error(message, { cause })] };
  }
}

type AutoMode = AutoModeSigns & { readonly unknown: readonly Error[] };

async function readAutoMode({ cloud, cluster }: Omit<AutoscalerPorts, 'clock'>): Promise<AutoMode> {
  const log = readings();
  const autoMode = readOr(await log.observe('EKS Auto Mode', async () => cloud.autoMode()), undefined);
  const pools =
    autoMode === undefined
      ? await log.observe('NodePools of EKS Auto Mode', async () => cluster.listAutoModePools())
      : read([]);
  const unknown = [...log.failures].map(
    ([what, cause]) => new Error(`failed to check for ${what}: ${cause.message}`, { cause }),
  );
  return { autoMode, autoModePools: readOr(pools, []), unknown };
}
