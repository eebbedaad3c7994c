import { BadInputError } from '../../apis/bad-input-error.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { Frame } from '../../page/fleet/frame.ts';
import type { OpenSimulation, SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { simulationTitle } from '../simulate/render-timeline.ts';
import { fleetRecorder } from './fleet-recorder.ts';
import { pageAssets } from './page-assets.ts';
import { pageHtml } from './page-html.ts';

/** A simulation as one HTML file. */
export interface Report {
  /** To be called after each step, with its entries. */
  step(entries: readonly TimelineEntry[]): void;
  /** *Errors:* BadInputError if the file cannot be written. */
  write(): Promise<void>;
}

interface Recorded {
  readonly path: string;
  readonly simulation: OpenSimulation;
  readonly input: SimulationInput;
}

/** *Errors:* BadInputError if the file cannot be written, before anything is simulated. */
export function reportTo(context: CliContext, { path, simulation, input }: Recorded): Report {
  writeText(context, path, '');
  const recorder = fleetRecorder(simulation, input);
  const frames: Frame[] = [];
  return {
    step(entries) {
      recorder.step(entries);
      frames.push(...recorder.take());
    },
    async write() {
      recorder.end();
      frames.push(...recorder.take());
      const durationSeconds = frames.at(-1)?.at ?? 0;
      const data = { title: simulationTitle(input), durationSeconds, live: false, frames };
      writeText(context, path, pageHtml(await pageAssets(), data));
      context.process.stderr.write(`wrote ${path}: open it in a browser\n`);
    },
  };
}

function writeText(context: CliContext, path: string, text: string): void {
  try {
    context.writeText(path, text);
  } catch (cause) {
    throw new BadInputError(
      `the report cannot be written to ${path}: ${errorMessage(cause)}: name a file in an existing folder`,
    );
  }
}
