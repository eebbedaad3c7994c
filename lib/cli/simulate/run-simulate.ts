import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { Scenario } from '../../apis/scenario/scenario.ts';
import { chooseRegion } from '../../catalogue/choose-region.ts';
import { shippedCatalogue } from '../../catalogue/figures.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ParsedManifests, readManifests } from '../../manifests/read/read-manifests.ts';
import type { SimulationResult } from '../../simulator/result.ts';
import { type SimulationInput, simulate } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readAllSources } from '../read-sources.ts';
import { ignoredNotes, passedOverNotes } from '../render/ignored-notes.ts';
import { gapNotes, standInRemarks, withStandIns } from './manifest-gaps.ts';
import { renderSummary } from './render-summary.ts';
import { timelineRenderer } from './render-timeline.ts';
import type { SimulateFlags } from './simulate-command.ts';

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
  const notes = [...passedOverNotes(passedOver), ...ignoredNotes(read.ignored), ...gapNotes(read)];
  stderr.write(notes.map((note) => `${note}\n`).join(''));
  const input = inputOf(read, flags);
  const result = flags.output === 'json' ? await drain(input) : await show(context, input, flags.speed);
  stdout.write(flags.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : renderSummary(result, context));
}

function inputOf(read: ParsedManifests, flags: SimulateFlags): SimulationInput {
  const manifests = withStandIns(read);
  const scenario: Scenario | undefined = manifests.scenarios[0];
  checkSize(manifests);
  return {
    manifests,
    ...optional({ scenario }),
    catalogue: shippedCatalogue(chooseRegion(manifests.nodePools, flags.region ?? scenario?.region)),
    seed: flags.seed ?? scenario?.seed ?? 1,
    remarks: [
      ...manifests.ignored.map(({ kind, name, note }) => ({ subject: `${kind} ${name}`, text: note })),
      ...standInRemarks(read),
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
