import { DAY_MS } from '../../lib/apis/formats/time.ts';
import { exponential, fraction, ownRandom, type Random } from '../../lib/simulator/random.ts';
import { type Lognormal, lognormal, meanOf, meanOfLognormal, type Weighted, weighted } from './chance.ts';
import { FIGURES } from './figures.ts';

/** A pod that runs for a time. An evicted one starts again. */
export interface Task {
  readonly atMs: number;
  readonly lifetimeMs: number;
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

interface Span {
  readonly seed: number;
  /** What all pods of the cluster request together. */
  readonly millicores: number;
  /** Tasks that run already at the beginning start in this time. */
  readonly startMs: number;
  readonly durationMs: number;
}

interface Kind {
  readonly name: string;
  readonly cpuShare: number;
  readonly lifetimeMs: Lognormal;
  readonly cpuMillicores: Weighted;
  readonly gibPerCpu: Weighted;
}

/** All tasks in the order of their times. Their number varies with the time of the day, and is else steady. */
export function tasksOf(span: Span): readonly Task[] {
  const { longTasks, shortTasks, cpuShares } = FIGURES;
  const kinds: readonly Kind[] = [
    { name: 'long tasks', cpuShare: cpuShares.longTasks, ...longTasks },
    { name: 'short tasks', cpuShare: cpuShares.shortTasks, ...shortTasks },
  ];
  return kinds.flatMap((kind) => [...arrivalsOf(kind, span)]).toSorted((a, b) => a.atMs - b.atMs);
}

/** Arrivals begin before the simulation, so that as many tasks run at its beginning as later. */
function* arrivalsOf(kind: Kind, { seed, millicores, startMs, durationMs }: Span): Generator<Task> {
  const random = ownRandom(seed, kind.name);
  const running = (millicores * kind.cpuShare) / meanOf(kind.cpuMillicores);
  const betweenMs = meanOfLognormal(kind.lifetimeMs) / running;
  const { swing } = FIGURES.day;
  for (let atMs = -kind.lifetimeMs.max; ; ) {
    // A candidate at the highest rate is kept with the share of the rate at its time.
    atMs += exponential(random, betweenMs / (1 + swing));
    if (atMs >= durationMs) return;
    if (fraction(random) * (1 + swing) >= rateAt(atMs)) continue;
    const lifetimeMs = lognormal(random, kind.lifetimeMs);
    const leftMs = Math.min(lifetimeMs, atMs + lifetimeMs);
    const task = sized(kind, random);
    if (leftMs <= 0) continue;
    yield { ...task, lifetimeMs: Math.round(leftMs), atMs: atMs < 0 ? random.between(0, startMs) : Math.round(atMs) };
  }
}

/** One on average. */
function rateAt(atMs: number): number {
  const { swing, peakAtMs } = FIGURES.day;
  return 1 + swing * Math.cos((2 * Math.PI * (atMs - peakAtMs)) / DAY_MS);
}

function sized({ cpuMillicores, gibPerCpu }: Kind, random: Random): Pick<Task, 'cpuMillicores' | 'memoryBytes'> {
  const cpu = weighted(random, cpuMillicores);
  return { cpuMillicores: cpu, memoryBytes: Math.round((cpu / 1_000) * weighted(random, gibPerCpu) * GIB) };
}

const GIB = 2 ** 30;
