import { HOUR_MS } from '../../apis/formats/time.ts';
import type { SpotInterruptions } from '../../apis/scenario/scenario.ts';
import type { SimulatedInstance } from '../aws/simulated-ec2.ts';
import { exponential, ownRandom, type Random } from '../random.ts';
import { matchesSpot, runningSpot } from './interrupt-spot.ts';
import type { ScenarioStage } from './scenario-stage.ts';

interface Play {
  readonly stage: ScenarioStage;
  readonly rule: SpotInterruptions;
  readonly random: Random;
  readonly startMs: number;
  readonly untilMs: number;
  /** The instances that were interrupted. */
  readonly warned: Set<string>;
}

/** Interrupts spot instances at random times. *Shape:* a function that must be called with each launched instance. */
export function playSpotInterruptions(
  stage: ScenarioStage,
  rules: readonly SpotInterruptions[],
): (instance: SimulatedInstance) => void {
  const plays = rules.map((rule, index): Play => {
    const startMs = stage.timetable.now();
    const untilMs = Math.min(startMs + (rule.toMs ?? Infinity), stage.endMs);
    return {
      stage,
      rule,
      random: ownRandom(stage.seed, `spot interruptions ${index}`),
      startMs,
      untilMs,
      warned: new Set(),
    };
  });
  for (const play of plays)
    if ('perHour' in play.rule.rate && play.rule.rate.perHour > 0) interruptNext(play, play.rule.rate.perHour);
  return (instance) => {
    for (const play of plays) endByRisk(play, instance);
  };
}

/** A Poisson process over all instances that match. */
function interruptNext(play: Play, perHour: number, fromMs = play.startMs + play.rule.fromMs): void {
  const { stage, rule, random, untilMs, warned } = play;
  const { timetable, timeline } = stage;
  const atMs = fromMs + Math.round(exponential(random, HOUR_MS / perHour));
  if (atMs >= untilMs) return;
  timetable.after(atMs - timetable.now(), () => {
    const chosen = random.pick(runningSpot(stage, rule).filter(({ id }) => !warned.has(id)));
    if (chosen === undefined)
      timeline.remarks.add('interruptions found no matching spot instance', 'spotInterruptions');
    else interrupt(play, chosen);
    interruptNext(play, perHour, atMs);
  });
}

/** The instance has a constant risk: the time until its interruption has an exponential distribution. */
function endByRisk(play: Play, instance: SimulatedInstance): void {
  const { stage, rule, random, startMs, untilMs } = play;
  const { timetable } = stage;
  if (!('percentPerHour' in rule.rate) || rule.rate.percentPerHour === 0 || !matchesSpot(instance, rule)) return;
  const meanMs = HOUR_MS / -Math.log(1 - rule.rate.percentPerHour / 100);
  const fromMs = Math.max(timetable.now(), startMs + rule.fromMs);
  const atMs = fromMs + Math.round(exponential(random, meanMs));
  if (atMs >= untilMs) return;
  timetable.after(atMs - timetable.now(), () => {
    if (runningSpot(stage, rule).some(({ id }) => id === instance.id)) interrupt(play, instance);
  });
}

function interrupt({ stage: { ec2, timeline }, warned }: Play, { id }: SimulatedInstance): void {
  warned.add(id);
  ec2.interruptSpot(id);
  timeline.note({ kind: 'scenario', message: `EC2 interrupts ${id} in 2 minutes` });
}
