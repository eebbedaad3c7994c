import { BadInputError } from '../../apis/bad-input-error.ts';
import { SECOND_MS } from '../../apis/formats/time.ts';
import { formatClock } from '../../page/fleet/format.ts';
import { defaultSpeed } from '../../page/fleet/speeds.ts';
import { simulatedCluster } from '../../simulator/kubernetes/simulated-cluster.ts';
import type { Ended, SimulationSummary } from '../../simulator/result.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../simulator/simulation.ts';
import { liveSnapshotText } from '../../snapshot/live-document.ts';
import { readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { asDecided } from '../plan/planned-snapshot.ts';
import { renderSummary } from '../simulate/render-summary.ts';
import type { SimulateFlags } from '../simulate/simulate-command.ts';
import { timelineLines } from '../simulate/timeline-lines.ts';
import { type LiveReader, readObjects } from '../snapshot/run-snapshot.ts';
import { processTerminal } from '../top/terminal.ts';
import { type TopState, topState } from '../top/top-state.ts';
import { watch } from '../top/watch.ts';

/** The picture changes so often. */
const EVERY_MS = 500;
const MAX_LATEST = 20;

/**
 * Shows the simulation in the terminal while it runs, as `kerf top` shows a cluster, until q or Ctrl-C.
 * *Errors:* BadInputError without a terminal.
 */
export async function watchSimulation(
  context: CliContext,
  given: SimulationInput,
  flags: SimulateFlags,
): Promise<SimulationSummary> {
  const terminal = processTerminal();
  if (terminal === undefined) throw new BadInputError('--top needs a terminal for its input and output: leave it out');
  const input = { ...given, goesOn: true };
  const simulation = openSimulation(input);
  const startMs = simulation.endMs - input.durationMs;
  const speed = flags.speed ?? defaultSpeed(input.durationMs / SECOND_MS);
  const { state, timetable } = simulation;
  const cluster: LiveReader = {
    ...simulatedCluster(state, timetable),
    listLimitRanges: async () => state.limitRanges,
  };
  const played = playedTo(simulation);
  let untilMs = startMs;
  const read = async (): Promise<TopState> => {
    const latest = await played.advance(untilMs);
    untilMs += EVERY_MS * speed;
    const nowMs = simulation.timetable.now();
    const text = liveSnapshotText(await readObjects(cluster, 'simulation'), input.catalogue, nowMs);
    const snapshot = readSnapshot({ readText: () => text }, { path: 'the simulation', nowMs });
    return { ...topState(asDecided(snapshot)), latest };
  };
  const view = { sort: 'price', offset: 0, paused: false, help: false } as const;
  await watch(context, { terminal, read, everyMs: EVERY_MS, view });
  const summary = simulation.summary(played.ended() ?? 'interrupted');
  context.process.stdout.write(renderSummary(summary, context));
  return summary;
}

interface Played {
  /** Runs the simulation to this time. *Shape:* the latest lines of its timeline. */
  readonly advance: (untilMs: number) => Promise<readonly string[]>;
  readonly ended: () => Ended | undefined;
}

function playedTo(simulation: OpenSimulation): Played {
  const { timetable, timeline } = simulation;
  const lines = timelineLines({ isBrief: true });
  const latest: string[] = [];
  let ended: Ended | undefined;
  return {
    ended: () => ended,
    async advance(untilMs) {
      while (ended === undefined && timetable.now() < untilMs) {
        ended = await simulation.step();
        const found = timeline.take().flatMap((entry) => lines.entry(entry));
        for (const { at, decision, label, text } of found)
          if (decision) latest.push(`${formatClock(at)}  ${label.padEnd(LABEL_WIDTH)} ${text}`);
        latest.splice(0, latest.length - MAX_LATEST);
      }
      return [...latest];
    },
  };
}

const LABEL_WIDTH = 10;
