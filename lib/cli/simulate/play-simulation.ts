import { HOUR_MS } from '../../apis/formats/time.ts';
import type { Ended, SimulationSummary } from '../../simulator/result.ts';
import { openSimulation, type SimulationInput } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { fleetRecorder } from '../live/fleet-recorder.ts';
import { checkReport, writeReport } from '../live/write-report.ts';
import { jsonPrinter, textPrinter } from './print-simulation.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';
import type { Detail, SimulateFlags } from './simulate-command.ts';

/** Runs and prints the simulation until its end, or until Ctrl-C. */
export async function playSimulation(
  context: CliContext,
  input: SimulationInput,
  flags: SimulateFlags,
): Promise<SimulationSummary> {
  const interruption = new AbortController();
  const { signal: stopped } = interruption;
  const restore = context.onInterrupt?.(() => interruption.abort());
  const detail = detailOf(input, flags);
  const simulation = openSimulation(detail === 'hours' ? { ...input, figuresEveryMs: HOUR_MS } : input);
  const printer =
    flags.output === 'json'
      ? jsonPrinter(detail)
      : textPrinter(context, input, { detail, speed: flags.speed, stopped });
  if (flags.report !== undefined) checkReport(context, flags.report);
  const recorder = flags.report === undefined ? undefined : fleetRecorder(simulation, input);
  const progress = progressOf(context);
  const print = (text: string): void => {
    if (text === '') return;
    progress?.clear();
    context.process.stdout.write(text);
  };
  print(printer.begin);
  let ended: Ended | undefined;
  while (ended === undefined) {
    ended = stopped.aborted ? 'interrupted' : await simulation.step();
    const entries = simulation.timeline.take();
    recorder?.step(entries);
    for (const entry of entries) print(await printer.entry(entry));
    progress?.show(() => simulation.progress());
  }
  const summary = simulation.summary(ended);
  progress?.clear();
  print(printer.end(summary));
  recorder?.end();
  if (flags.report !== undefined) await writeReport(context, flags.report, { input, frames: recorder?.take() ?? [] });
  restore?.();
  return summary;
}

/** A longer simulation has too many events to read. */
const ALL_UP_TO_MS = 6 * HOUR_MS;

function detailOf({ durationMs }: SimulationInput, { show }: SimulateFlags): Detail {
  return show ?? (durationMs <= ALL_UP_TO_MS ? 'all' : 'hours');
}

function progressOf({ errorColumns, process: { stderr } }: CliContext): ProgressLine | undefined {
  if (errorColumns === undefined) return undefined;
  return progressLine({
    write: (text) => stderr.write(text),
    columns: errorColumns,
    nowMs: () => performance.now(),
  });
}
