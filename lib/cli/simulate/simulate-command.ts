import { buildCommand, type Command } from '@stricli/core';
import { parseDuration } from '../../apis/duration.ts';
import type { Scenario } from '../../apis/scenario.ts';
import { HOUR_MS } from '../../apis/time.ts';
import type { SimulationResult } from '../../simulator/result.ts';
import { type SimulationInput, simulate } from '../../simulator/simulation.ts';
import type { CliContext } from '../context.ts';
import { BadInputError, EXIT } from '../exit-codes.ts';
import { shippedCatalogue } from '../figures.ts';
import { formatProblem } from '../manifests/format-problem.ts';
import { type Manifests, readManifests } from '../manifests/read-manifests.ts';
import { chooseRegion } from './choose-region.ts';
import { renderSummary } from './render-summary.ts';
import { timelineRenderer } from './render-timeline.ts';

interface Flags {
  readonly seed: number | undefined;
  readonly speed: number | undefined;
  readonly for: number | undefined;
  readonly region: string | undefined;
  readonly output: 'text' | 'json';
}

/** `kerf simulate FILE…`: what Kerf would do with these manifests, on a simulated cluster. */
export const simulateCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Run manifests on a simulated EKS cluster and EC2',
    fullDescription: [
      'Reads NodePools, EC2NodeClasses, Deployments, DaemonSets, Pods and PodDisruptionBudgets from YAML files ("-" is',
      'standard input), runs them in virtual time and shows every decision. A kerf.dev/v1alpha1 Scenario among them says',
      'what happens when. Nothing outside this process is touched.',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'YAML files, - for standard input', placeholder: 'FILE', parse: String },
      minimum: 1,
    },
    flags: {
      seed: {
        kind: 'parsed',
        brief: "Seed of everything random (default: the scenario's, else 1)",
        parse: wholeNumber,
        optional: true,
      },
      speed: {
        kind: 'parsed',
        brief: 'Play N seconds a second; 1 is real time (default: at once)',
        parse: positiveNumber,
        optional: true,
      },
      for: {
        kind: 'parsed',
        brief: "Virtual time at the most (default: the scenario's, else 1h)",
        parse: duration,
        optional: true,
      },
      region: { kind: 'parsed', brief: 'AWS region where no NodePool names a zone', parse: String, optional: true },
      output: { kind: 'enum', brief: 'text or json', values: ['text', 'json'], default: 'text' },
    },
    aliases: { o: 'output' },
  },
  func: runSimulate,
});

async function runSimulate(this: CliContext, flags: Flags, ...files: string[]): Promise<void> {
  const { stdout, stderr } = this.process;
  const { manifests, problems, warnings } = readManifests(files.map((file) => readSource(this, file)));
  stderr.write(warnings.map((warning) => `${formatProblem(warning)}\n`).join(''));
  if (problems.length > 0) {
    stderr.write(problems.map((problem) => `${formatProblem(problem)}\n`).join(''));
    stderr.write(`\n${problems.length === 1 ? '1 problem' : `${problems.length} problems`}: nothing was simulated.\n`);
    this.process.exitCode = EXIT.badInput;
    return;
  }
  for (const { file, line, kind, name, note } of manifests.ignored)
    stderr.write(`${file}:${line}  ${kind}/${name}: ${note}\n`);
  const input = inputOf(manifests, flags);
  const result = flags.output === 'json' ? await drain(input) : await show(this, input, flags.speed);
  stdout.write(flags.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : renderSummary(result, this));
}

function readSource(context: CliContext, file: string): { readonly file: string; readonly text: string } {
  try {
    return { file: file === '-' ? 'stdin' : file, text: context.readText(file) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BadInputError(`${file} cannot be read: ${why}. Name files that exist, or - for standard input`, {
      cause,
    });
  }
}

function inputOf(manifests: Manifests, flags: Flags): SimulationInput {
  const scenario: Scenario | undefined = manifests.scenarios[0];
  checkSize(manifests);
  return {
    manifests,
    ...(scenario === undefined ? {} : { scenario }),
    catalogue: shippedCatalogue(chooseRegion(manifests.nodePools, flags.region ?? scenario?.region)),
    seed: flags.seed ?? scenario?.seed ?? 1,
    durationMs: flags.for ?? scenario?.durationMs ?? HOUR_MS,
  };
}

async function drain(input: SimulationInput): Promise<SimulationResult> {
  const run = simulate(input);
  let step = await run.next();
  while (step.done !== true) step = await run.next();
  return step.value;
}

/** More than a simulation in one process can show in a time that anybody would wait for. */
const MOST_PODS = 20_000;

function checkSize(manifests: Manifests): void {
  const pods = manifests.deployments.reduce((sum, one) => sum + (one.spec.replicas ?? 1), manifests.pods.length);
  if (pods > MOST_PODS)
    throw new BadInputError(`${pods} pods are too many: at most ${MOST_PODS} are simulated; lower the replicas`);
}

/** Prints what happens when it happens, at the speed that was asked for. */
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

/** At a hundredth of real time an hour takes four days. */
const SLOWEST = 0.01;

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new SyntaxError(`"${text}" is not a whole number: write it as 42`);
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value >= SLOWEST) || !Number.isFinite(value))
    throw new SyntaxError(`"${text}" is not a speed: write a number from ${SLOWEST} on, such as 1 (real time) or 60`);
  return value;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0) throw new SyntaxError(`"${text}" is not a duration: write it as 90s, 30m or 2h`);
  return ms;
}
