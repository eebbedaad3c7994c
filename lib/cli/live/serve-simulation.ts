import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Frame } from '../../page/fleet/frame.ts';
import { defaultSpeed } from '../../page/fleet/speeds.ts';
import type { Ended, SimulationSummary } from '../../simulator/result.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { jsonPrinter } from '../simulate/print-simulation.ts';
import { renderSummary } from '../simulate/render-summary.ts';
import { simulationTitle } from '../simulate/render-timeline.ts';
import type { SimulateFlags } from '../simulate/simulate-command.ts';
import { type FleetRecorder, fleetRecorder } from './fleet-recorder.ts';
import { liveEvents } from './live-events.ts';
import { type LiveCommand, type LiveServer, liveServer } from './live-server.ts';
import { type PaceClock, paceClock } from './pace-clock.ts';
import { pageAssets } from './page-assets.ts';
import { pageHtml } from './page-html.ts';
import { checkReport, writeReport } from './write-report.ts';

/** Pages are sent what has changed so often. */
const SEND_EVERY_MS = 50;
/** A simulation that is slower than its speed does not make up for more than this time. */
const MAX_BEHIND_MS = 500;

/** Serves the simulation as a live page until Ctrl-C. */
export async function serveSimulation(
  context: CliContext,
  given: SimulationInput,
  flags: SimulateFlags,
): Promise<SimulationSummary> {
  const input = { ...given, goesOn: true };
  if (flags.report !== undefined) checkReport(context, flags.report);
  const simulation = openSimulation(input);
  const durationSeconds = input.durationMs / SECOND_MS;
  const clock = paceClock(flags.speed ?? defaultSpeed(durationSeconds), performance.now());
  const live: Live = {
    context,
    simulation,
    clock,
    startMs: simulation.endMs - input.durationMs,
    recorder: fleetRecorder(simulation, input),
    steps: 0,
    ended: undefined,
  };
  const html = pageHtml(await pageAssets(), { title: simulationTitle(input), durationSeconds, live: true, frames: [] });
  const server = await liveServer({ html, port: flags.port, onCommand: commandsOf(live) });
  const interruption = new AbortController();
  const restore = context.onInterrupt?.(() => interruption.abort());
  context.process.stderr.write(`Live page: ${server.url}\nCtrl-C ends it.\n`);
  try {
    await run(live, server, interruption.signal);
  } finally {
    restore?.();
    await server.close();
  }
  const summary = simulation.summary(live.ended ?? 'interrupted');
  print(context, flags, summary);
  if (flags.report !== undefined) await writeReport(context, flags.report, { input, frames: server.frames });
  return summary;
}

function print(context: CliContext, { output }: SimulateFlags, summary: SimulationSummary): void {
  const json = jsonPrinter('summary');
  context.process.stdout.write(
    output === 'json' ? `${json.begin}${json.end(summary)}` : renderSummary(summary, context),
  );
}

interface Live {
  readonly context: CliContext;
  readonly simulation: OpenSimulation;
  readonly recorder: FleetRecorder;
  readonly clock: PaceClock;
  readonly startMs: number;
  /** Steps that the user asked for while it is paused. */
  steps: number;
  ended: Ended | undefined;
}

/** Runs the simulation at the speed of the clock, and sends it to the pages. After its end, the pages are served until Ctrl-C. */
async function run(live: Live, server: LiveServer, stopped: AbortSignal): Promise<void> {
  const { context, clock } = live;
  let sentMs = -Infinity;
  const send = (): void => {
    live.recorder.flush();
    server.send(live.recorder.take(), statusOf(live));
    sentMs = performance.now();
  };
  while (!stopped.aborted) {
    if (live.ended !== undefined || (clock.paused && live.steps === 0) || secondsAhead(live) > 0) {
      send();
      await context.sleep(SEND_EVERY_MS, stopped);
      continue;
    }
    const frames = await advance(live);
    if (live.steps > 0 && frames.length > 0) live.steps -= 1;
    if (frames.length > 0) server.send(frames, statusOf(live));
    if (performance.now() - sentMs > SEND_EVERY_MS) send();
  }
}

/** One step. *Shape:* the frames that it completed. */
async function advance(live: Live): Promise<readonly Frame[]> {
  const { simulation, recorder, clock } = live;
  live.ended = await simulation.step();
  recorder.step(simulation.timeline.take());
  if (live.ended !== undefined) recorder.end();
  const nowMs = performance.now();
  const isBehind = -secondsAhead(live) > (MAX_BEHIND_MS / SECOND_MS) * clock.speed;
  if (isBehind || clock.paused) clock.moveTo(simulatedSeconds(live), nowMs);
  return recorder.take();
}

function simulatedSeconds({ simulation, startMs }: Live): number {
  return (simulation.timetable.now() - startMs) / SECOND_MS;
}

/** How far the simulation is ahead of what is to be shown. A paused one is not ahead. */
function secondsAhead(live: Live): number {
  return live.clock.paused ? 0 : simulatedSeconds(live) - live.clock.at(performance.now());
}

function statusOf(live: Live): object {
  const { clock, ended } = live;
  const at = Math.min(simulatedSeconds(live), clock.at(performance.now()));
  return { paused: clock.paused, speed: clock.speed, ended: ended !== undefined, at };
}

/** *Shape:* a function that carries out a command, and returns a sentence for the user. */
function commandsOf(live: Live): (command: LiveCommand) => string {
  const { clock, simulation } = live;
  const events = liveEvents(simulation);
  return ({ kind, value = 0 }) => {
    const nowMs = performance.now();
    if (live.ended !== undefined) return 'The simulation has ended.';
    switch (kind) {
      case 'pause':
        clock.pause(nowMs);
        return 'Paused.';
      case 'resume':
        clock.resume(nowMs);
        return '';
      case 'step':
        clock.pause(nowMs);
        live.steps += 1;
        return '';
      case 'speed':
        if (!(value > 0) || !Number.isFinite(value)) throw new RangeError('the speed is not a number above 0');
        clock.setSpeed(value, nowMs);
        return '';
      case 'interrupt':
      case 'outage':
      case 'load':
        return events[kind]();
      default:
        throw new RangeError(`"${kind.slice(0, 20)}" is not a command`);
    }
  };
}
