import { SECOND_MS } from '../../apis/formats/time.ts';
import type { SimulationSummary } from '../../simulator/result.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { CliContext } from '../context.ts';
import { renderSummary } from './render-summary.ts';
import { timelineRenderer } from './render-timeline.ts';
import { isShown } from './shown-entries.ts';
import type { Detail } from './simulate-command.ts';

/** Prints a simulation while it runs. No entry is kept. */
export interface SimulationPrinter {
  /** *Shape:* the text of an entry; empty if it is not shown yet, or not at all. */
  entry(entry: TimelineEntry): Promise<string> | string;
  end(summary: SimulationSummary): string;
  readonly begin: string;
}

/** `speed`: simulated seconds a second. `stopped`: ends pauses. */
interface TextOptions {
  readonly detail: Detail;
  readonly speed: number | undefined;
  readonly stopped: AbortSignal;
}

/** The timeline as lines, at the requested speed. */
export function textPrinter(
  context: CliContext,
  input: SimulationInput,
  { detail, speed, stopped }: TextOptions,
): SimulationPrinter {
  const renderer = timelineRenderer(context, { durationMs: input.durationMs, isBrief: detail !== 'all' });
  let shownAt = 0;
  return {
    begin: renderer.title(input),
    async entry(entry) {
      if (!isShown(entry, detail)) return '';
      const { at } = entry;
      const before = Math.floor(at) > Math.floor(shownAt) ? renderer.flush() : '';
      if (at > shownAt) {
        if (speed !== undefined && !stopped.aborted) await context.sleep(((at - shownAt) * SECOND_MS) / speed, stopped);
        shownAt = at;
      }
      return before + renderer.entry(entry);
    },
    end: (summary) => renderer.flush() + renderSummary(summary, context),
  };
}

/** One object of JSON: first the timeline, an entry a line, then the summary. */
export function jsonPrinter(detail: Detail): SimulationPrinter {
  let separator = '\n    ';
  return {
    begin: '{\n  "timeline": [',
    entry(entry) {
      if (!isShown(entry, detail)) return '';
      const text = `${separator}${JSON.stringify(entry)}`;
      separator = ',\n    ';
      return text;
    },
    end: (summary) => `\n  ],${JSON.stringify(summary, null, 2).slice(1)}\n`,
  };
}
