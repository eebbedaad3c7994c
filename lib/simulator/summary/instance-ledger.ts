import { HOUR_MS } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import { toMicros } from '../../core/usd-per-hour.ts';
import type { Clock } from '../../ports/clock.ts';

/** What the ledger reads of an instance. */
export interface BilledInstance {
  readonly id: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly priceUsdPerHour: number;
  readonly launchedAtMs: number;
}

/** The instances of one type, zone and capacity type. *Units:* the price is that of the last launch. */
export interface InstanceCount {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHourEach: number;
  readonly launched: number;
  /** At the time with the most instances. */
  readonly atPeak: number;
  readonly atEnd: number;
}

/** The instances and the cost of one NodePool. The name is empty for instances without one. */
export interface PoolCost {
  readonly nodePool: string;
  readonly launched: number;
  readonly atEnd: number;
  readonly costUsd: number;
  readonly usdPerHourAtEnd: number;
}

export interface InstanceReport {
  readonly launched: number;
  /** The most instances at one time, and when that was first so, in seconds from the start. */
  readonly atPeak: number;
  readonly peakAtSeconds: number;
  readonly atEnd: number;
  /** They cost nothing more. */
  readonly shuttingDown: number;
  readonly spotInterruptions: number;
  readonly costUsd: number;
  readonly usdPerHourAtEnd: number;
  /** Those with the most instances at the peak first, then at the end, then by name. */
  readonly instances: readonly InstanceCount[];
  /** By name. */
  readonly nodePools: readonly PoolCost[];
}

/** The instances at one time. *Units:* USD. */
export interface InstanceFigures {
  readonly nodes: number;
  /** Since the start. */
  readonly nodesLaunched: number;
  /** Since the start. */
  readonly nodesEnded: number;
  readonly usdPerHour: number;
  /** Since the start. */
  readonly costUsd: number;
}

/**
 * Counts the instances of the cluster and their cost, without keeping those that have ended. An instance costs the price of its
 * launch from its launch until it begins to shut down, as EC2 bills it.
 */
export interface InstanceLedger {
  /** `isFound`: the simulation did not launch it; it costs from now on. */
  begin(instance: BilledInstance, isFound?: boolean): void;
  /** The instance begins to shut down. */
  end(id: string): void;
  /** EC2 has terminated the instance. */
  gone(id: string): void;
  interrupted(): void;
  now(): InstanceFigures;
  report(): InstanceReport;
}

interface Running {
  readonly kind: string;
  readonly nodePool: string;
  readonly sinceMs: number;
  readonly usdPerHour: number;
}

interface Kind extends Pick<InstanceCount, 'instanceType' | 'zone' | 'capacityType'> {
  usdPerHourEach: number;
  launched: number;
  atPeak: number;
  now: number;
}

interface Pool {
  launched: number;
  /** In dollars an hour times milliseconds, so that prices with few decimals are added almost exactly. */
  cost: number;
}

export function instanceLedger(clock: Clock): InstanceLedger {
  const startMs = clock.now();
  const running = new Map<string, Running>();
  const shuttingDown = new Set<string>();
  const kinds = new Map<string, Kind>();
  const pools = new Map<string, Pool>();
  const total = { launched: 0, ended: 0, atPeak: 0, peakAtMs: startMs, spotInterruptions: 0 };
  const noteOfPeak = (): void => {
    if (running.size <= total.atPeak) return;
    [total.atPeak, total.peakAtMs] = [running.size, clock.now()];
    for (const kind of kinds.values()) kind.atPeak = kind.now;
  };
  const costOf = ({ sinceMs, usdPerHour }: Running): number => (clock.now() - sinceMs) * usdPerHour;
  return {
    begin(instance, isFound = false) {
      const { id, nodePool, priceUsdPerHour, launchedAtMs } = instance;
      const kind = kindOf(kinds, instance);
      kind.now += 1;
      kind.usdPerHourEach = priceUsdPerHour;
      const pool = pools.get(nodePool) ?? { launched: 0, cost: 0 };
      pools.set(nodePool, pool);
      if (!isFound) for (const count of [kind, pool, total]) count.launched += 1;
      const sinceMs = isFound ? clock.now() : launchedAtMs;
      running.set(id, { kind: keyOf(instance), nodePool, sinceMs, usdPerHour: priceUsdPerHour });
      noteOfPeak();
    },
    end(id) {
      const instance = running.get(id);
      if (instance === undefined) return;
      running.delete(id);
      total.ended += 1;
      shuttingDown.add(id);
      const [kind, pool] = [kinds.get(instance.kind), pools.get(instance.nodePool)];
      if (kind !== undefined) kind.now -= 1;
      if (pool !== undefined) pool.cost += costOf(instance);
    },
    gone: (id) => void shuttingDown.delete(id),
    interrupted: () => void (total.spotInterruptions += 1),
    now: () => ({
      nodes: running.size,
      nodesLaunched: total.launched,
      nodesEnded: total.ended,
      ...costNow([...running.values()], pools, costOf),
    }),
    report: () => ({
      launched: total.launched,
      atPeak: total.atPeak,
      peakAtSeconds: (total.peakAtMs - startMs) / 1_000,
      atEnd: running.size,
      shuttingDown: shuttingDown.size,
      spotInterruptions: total.spotInterruptions,
      ...costAtEnd(costNow([...running.values()], pools, costOf)),
      instances: [...kinds.values()].map(({ now: atEnd, ...kind }) => ({ ...kind, atEnd })).toSorted(byCount),
      nodePools: [...pools.keys()].toSorted(compareText).map((name) => poolCost(name, { pools, running, costOf })),
    }),
  };
}

interface Books {
  readonly pools: ReadonlyMap<string, Pool>;
  readonly running: ReadonlyMap<string, Running>;
  readonly costOf: (instance: Running) => number;
}

function poolCost(nodePool: string, { pools, running, costOf }: Books): PoolCost {
  const pool = pools.get(nodePool) ?? { launched: 0, cost: 0 };
  const mine = [...running.values()].filter((one) => one.nodePool === nodePool);
  const cost = costAtEnd(costNow(mine, new Map([[nodePool, pool]]), costOf));
  return { nodePool, launched: pool.launched, atEnd: mine.length, ...cost };
}

type Cost = Pick<InstanceFigures, 'usdPerHour' | 'costUsd'>;

function costAtEnd({ costUsd, usdPerHour }: Cost): Pick<PoolCost, 'costUsd' | 'usdPerHourAtEnd'> {
  return { costUsd, usdPerHourAtEnd: usdPerHour };
}

function costNow(
  running: readonly Running[],
  ended: ReadonlyMap<string, Pool>,
  costOf: (instance: Running) => number,
): Cost {
  const past = [...ended.values()].reduce((sum, { cost }) => sum + cost, 0);
  const cost = running.reduce((sum, instance) => sum + costOf(instance), past);
  const usdPerHour = running.reduce((sum, instance) => sum + instance.usdPerHour, 0);
  return { usdPerHour: toMicros(usdPerHour), costUsd: toMicros(cost / HOUR_MS) };
}

function keyOf({ instanceType, zone, capacityType }: BilledInstance): string {
  return `${instanceType} ${zone} ${capacityType}`;
}

function kindOf(kinds: Map<string, Kind>, instance: BilledInstance): Kind {
  const known = kinds.get(keyOf(instance));
  if (known !== undefined) return known;
  const { instanceType, zone, capacityType } = instance;
  const kind = { instanceType, zone, capacityType, usdPerHourEach: 0, launched: 0, atPeak: 0, now: 0 };
  kinds.set(keyOf(instance), kind);
  return kind;
}

function byCount(a: InstanceCount, b: InstanceCount): number {
  return (
    b.atPeak - a.atPeak ||
    b.atEnd - a.atEnd ||
    compareText(a.instanceType, b.instanceType) ||
    compareText(a.zone, b.zone) ||
    compareText(a.capacityType, b.capacityType)
  );
}
