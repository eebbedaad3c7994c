import { BadInputError } from '../../apis/bad-input-error.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { Frame } from '../../page/fleet/frame.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { simulationTitle } from '../simulate/render-timeline.ts';
import { pageAssets } from './page-assets.ts';
import { pageHtml } from './page-html.ts';

/** *Errors:* BadInputError if the file cannot be written. To be called before anything is simulated. */
export function checkReport(context: CliContext, path: string): void {
  writeText(context, path, '');
}

interface Recorded {
  readonly input: SimulationInput;
  readonly frames: readonly Frame[];
}

/** Writes a simulation as one HTML file. *Errors:* BadInputError if the file cannot be written. */
export async function writeReport(context: CliContext, path: string, { input, frames }: Recorded): Promise<void> {
  const durationSeconds = frames.at(-1)?.at ?? 0;
  const data = { title: simulationTitle(input), durationSeconds, live: false, frames };
  writePage(context, path, pageHtml(await pageAssets(), data));
}

/** Writes a page, and its name to stderr. *Errors:* BadInputError if the file cannot be written. */
export function writePage(context: CliContext, path: string, html: string): void {
  writeText(context, path, html);
  context.process.stderr.write(`wrote ${path}: open it in a browser\n`);
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
