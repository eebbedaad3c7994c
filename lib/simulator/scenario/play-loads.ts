import { counted } from '../../apis/counted.ts';
import { DAY_MS, HOUR_MS } from '../../apis/formats/time.ts';
import type { Arrivals, Lifetime, Load } from '../../apis/scenario/load.ts';
import { exponential, fraction, ownRandom, type Random } from '../random.ts';
import { type LoadJobs, loadJobs } from './load-jobs.ts';
import type { ScenarioStage } from './scenario-stage.ts';

/** An arrival of pods. *Units:* ms from the start of the simulation. */
interface Arrival {
  readonly atMs: number;
  readonly pods: number;
}

/**
 * Lets the pods of a load arrive, one after the other, until the load or the simulation ends. *Shape:* each load has its own random
 * numbers, by the seed and its name.
 */
export function playLoad(stage: ScenarioStage, load: Load): void {
  const { timetable, state, endMs, seed } = stage;
  const startMs = timetable.now();
  const untilMs = Math.min(load.toMs ?? Infinity, endMs - startMs);
  const random = ownRandom(seed, `load ${load.namespace}/${load.name}`);
  const jobs = loadJobs(state, { kind: 'Load', name: load.name, namespace: load.namespace });
  const arrivals = arrivalsOf(load, untilMs, random);
  const admit = admission(stage, load, jobs);
  const playNext = (): void => {
    const { value: next } = arrivals.next();
    if (next === undefined) return;
    timetable.after(startMs + next.atMs - timetable.now(), () => {
      for (let pod = 0; pod < next.pods; pod += 1) admit(lifetimeOf(load.lifetime, random));
      playNext();
    });
  };
  playNext();
}

/** Adds a pod, unless the load is at its limit. Notes when it reaches the limit, and afterwards how many pods were dropped. */
function admission({ timeline }: ScenarioStage, load: Load, jobs: LoadJobs): (lifetimeMs: number) => void {
  const { name, limit = Infinity, template } = load;
  let added = 0;
  let dropped = 0;
  return (lifetimeMs) => {
    // Counting them takes time, so it is done only if there may be too many.
    if (added >= limit) added = jobs.running();
    if (added >= limit) {
      if (dropped === 0)
        timeline.note({
          kind: 'scenario',
          message: `load ${name} is at its limit of ${counted(limit, 'pod')}: others are dropped`,
        });
      dropped += 1;
      timeline.remarks.add(
        `more pods arrived than its limit of ${limit} allows; the others were dropped`,
        `load ${name}`,
      );
      return;
    }
    if (dropped > 0)
      timeline.note({
        kind: 'scenario',
        message: `load ${name} is below its limit: ${counted(dropped, 'pod')} dropped`,
      });
    dropped = 0;
    added += 1;
    jobs.add(template, lifetimeMs);
  };
}

function lifetimeOf(lifetime: Lifetime, random: Random): number {
  return lifetime.kind === 'fixed' ? lifetime.ms : exponential(random, lifetime.meanMs);
}

/** The arrivals from the begin of the load until `untilMs`. @internal */
export function* arrivalsOf(
  { arrivals, fromMs }: Pick<Load, 'arrivals' | 'fromMs'>,
  untilMs: number,
  random: Random,
): Generator<Arrival, undefined> {
  if (arrivals.kind === 'batch') {
    for (let atMs = fromMs; atMs < untilMs; atMs += arrivals.everyMs) yield { atMs, pods: arrivals.pods };
    return;
  }
  const highest = highestRate(arrivals);
  if (highest === 0) return;
  let atMs = fromMs;
  for (;;) {
    atMs += exponential(random, HOUR_MS / highest);
    if (atMs >= untilMs) return;
    // A candidate at the highest rate is kept with the share of the rate at its time.
    if (arrivals.kind === 'diurnal' && fraction(random) * highest >= rateAt(arrivals, atMs)) continue;
    yield { atMs: Math.round(atMs), pods: 1 };
  }
}

type Continuous = Exclude<Arrivals, { readonly kind: 'batch' }>;

function highestRate(arrivals: Continuous): number {
  return arrivals.kind === 'poisson' ? arrivals.perHour : Math.max(arrivals.peakPerHour, arrivals.troughPerHour);
}

/** *Units:* pods an hour. */
function rateAt(
  { peakPerHour, troughPerHour, peakAtMs }: Extract<Arrivals, { readonly kind: 'diurnal' }>,
  atMs: number,
): number {
  const height = (1 + Math.cos((2 * Math.PI * (atMs - peakAtMs)) / DAY_MS)) / 2;
  return troughPerHour + (peakPerHour - troughPerHour) * height;
}
