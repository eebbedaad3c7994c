import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { Scenario } from '../../apis/scenario/scenario.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ParsedManifests, readManifests } from '../../manifests/read/read-manifests.ts';
import type { SimulationResult } from '../../simulator/result.ts';
import { type SimulationInput, simulate } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readAllSources } from '../read-sources.ts';
import { ignoredNotes, passedOverNotes } from '../render/ignored-notes.ts';
import { printable } from '../render/render-lines.ts';
import { manifestGaps, withStandIns } from './manifest-gaps.ts';
import { renderSummary } from './render-summary.ts';
import { timelineRenderer } from './render-timeline.ts';
import type { SimulateFlags } from './simulate-command.ts';
import { simulatedRegion } from './simulated-region.ts';

/** Runs `kerf simulate`. */
export async function runSimulate(context: CliContext, flags: SimulateFlags, files: readonly string[]): Promise<void> {
  const { stdout, stderr } = context.process;
  const sources = readAllSources(context, files);
  const { manifests: read, problems, warnings, passedOver } = readManifests(sources);
  stderr.write(warnings.map((warning) => `${formatProblem(warning)}\n`).join(''));
  if (problems.length > 0) {
    stderr.write(problems.map((problem) => `${formatProblem(problem)}\n`).join(''));
    stderr.write(`\n${counted(problems.length, 'problem')}: nothing was simulated.\n`);
    context.process.exitCode = EXIT.badInput;
    return;
  }
  const gaps = manifestGaps(read);
  const region = simulatedRegion({ ...read, scenario: read.scenarios[0], flag: flags.region });
  const all = [...gaps, ...region.gaps];
  const notes = [...passedOverNotes(passedOver), ...ignoredNotes(read.ignored), ...all.map(asWarning)];
  stderr.write(notes.map((note) => `${note}\n`).join(''));
  const input = inputOf(read, { flags, catalogue: region.catalogue, gaps: all });
  const result = flags.output === 'json' ? await drain(input) : await show(context, input, flags.speed);
  stdout.write(flags.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : renderSummary(result, context));
}

function asWarning(gap: string): string {
  return printable(`warning: ${gap}`);
}

interface Circumstances {
  readonly flags: SimulateFlags;
  readonly catalogue: Catalogue;
  readonly gaps: readonly string[];
}

function inputOf(read: ParsedManifests, { flags, catalogue, gaps }: Circumstances): SimulationInput {
  const manifests = withStandIns(read);
  const scenario: Scenario | undefined = manifests.scenarios[0];
  checkSize(manifests);
  return {
    manifests,
    ...optional({ scenario }),
    catalogue,
    seed: flags.seed ?? scenario?.seed ?? 1,
    remarks: [
      ...manifests.ignored.map(({ kind, name, note }) => ({ subject: `${kind} ${name}`, text: note })),
      ...gaps.map((text) => ({ text })),
    ],
    durationMs: flags.for ?? scenario?.durationMs ?? HOUR_MS,
  };
}

async function drain(input: SimulationInput): Promise<SimulationResult> {
  const run = simulate(input);
  let step = await run.next();
  while (step.done !== true) step = await run.next();
  return step.value;
}

/** A simulation of more pods takes too long in one process. */
const MAX_PODS = 20_000;

function checkSize(manifests: ParsedManifests): void {
  const pods = manifests.deployments.reduce((sum, one) => sum + (one.spec.replicas ?? 1), manifests.pods.length);
  if (pods > MAX_PODS)
    throw new BadInputError(`${pods} pods are too many: the limit is ${MAX_PODS}: lower the replicas`);
}

/** Prints the timeline during the simulation, at the requested speed. */
async function show(context: CliContext, input: SimulationInput, speed: number | undefined): Promise<SimulationResult> {
  const renderer = timelineRenderer(context);
  context.process.stdout.write(renderer.title(input));
  const run = simulate(input);
  let shownAt = 0;
  let step = await run.next();
  while (step.done !== true) {
    const { at } = step.value;
    if (Math.floor(at) > Math.floor(shownAt)) context.process.stdout.write(renderer.flush());
    if (at > shownAt) {
      if (speed !== undefined) await context.sleep(((at - shownAt) * 1_000) / speed);
      shownAt = at;
    }
    context.process.stdout.write(renderer.entry(step.value));
    step = await run.next();
  }
  context.process.stdout.write(renderer.flush());
  return step.value;
}
