import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { HOUR_MS } from '../../apis/formats/time.ts';
import { isStatic } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { Scenario } from '../../apis/scenario/scenario.ts';
import type { Trace } from '../../apis/scenario/trace.ts';
import { MAX_PODS } from '../../apis/schemas/scenario-fields.ts';
import { type DecisionRecorder, decisionRecorder } from '../../controllers/record/decision-recorder.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { DEFAULT_SETTINGS } from '../../core/model/settings.ts';
import { KERF_VERSION } from '../../core/version.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ParsedManifests, readManifests } from '../../manifests/read/read-manifests.ts';
import type { SimulationSummary } from '../../simulator/result.ts';
import type { SimulationInput } from '../../simulator/simulation.ts';
import { decidedText } from '../../snapshot/write-snapshot.ts';
import type { CliContext } from '../context.ts';
import { newRecordFiles } from '../decisions/record-files.ts';
import { EXIT } from '../exit-codes.ts';
import { serveSimulation } from '../live/serve-simulation.ts';
import { watchSimulation } from '../live/watch-simulation.ts';
import { readAllSources } from '../read-sources.ts';
import { ignoredNotes, passedOverNotes } from '../render/ignored-notes.ts';
import { printable } from '../render/render-lines.ts';
import { userPath } from '../shell-context.ts';
import { manifestGaps, withStandIns } from './manifest-gaps.ts';
import { playSimulation } from './play-simulation.ts';
import { scenarioTrace } from './scenario-trace.ts';
import type { SimulateFlags } from './simulate-command.ts';
import { simulatedRegion } from './simulated-region.ts';

/** Runs `kerf simulate`. */
export async function runSimulate(context: CliContext, flags: SimulateFlags, files: readonly string[]): Promise<void> {
  const { stderr } = context.process;
  const sources = readAllSources(context, files);
  const { manifests: read, problems: ofManifests, warnings, passedOver } = readManifests(sources);
  const traced = ofManifests.length > 0 ? undefined : scenarioTrace(context, read.scenarios[0]);
  const problems = [...ofManifests, ...(traced?.problems ?? [])];
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
  const input = inputOf(read, { flags, catalogue: region.catalogue, gaps: all, trace: traced?.trace });
  const summary = await playOf(flags)(context, input, flags);
  context.process.exitCode = exitCodeOf(summary, flags);
}

function playOf({ web, top, report, output }: SimulateFlags): typeof playSimulation {
  if (!top) return web ? serveSimulation : playSimulation;
  if (web || report !== undefined || output === 'json')
    throw new BadInputError('--top shows the run in the terminal: leave out --web, --report and --output json');
  return watchSimulation;
}

function exitCodeOf({ ended, podsPending, jobsFailed }: SimulationSummary, flags: SimulateFlags): number {
  // The key q ends --top.
  if (ended === 'interrupted') return flags.top ? EXIT.fine : EXIT.interrupted;
  // The pods of a failed Job are deleted, also those that were pending.
  const isWorkLeft = jobsFailed.length > 0 || podsPending.some((one) => one.expectedToRun);
  return flags['fail-on-pending'] && isWorkLeft ? EXIT.findings : EXIT.fine;
}

function asWarning(gap: string): string {
  return printable(`warning: ${gap}`);
}

interface Circumstances {
  readonly flags: SimulateFlags;
  readonly catalogue: Catalogue;
  readonly gaps: readonly string[];
  readonly trace: Trace | undefined;
}

function inputOf(read: ParsedManifests, { flags, catalogue, gaps, trace }: Circumstances): SimulationInput {
  const manifests = withStandIns(read);
  const scenario: Scenario | undefined = manifests.scenarios[0];
  const durationMs = flags.for ?? scenario?.durationMs;
  checkSize(manifests);
  return {
    manifests,
    ...optional({ scenario, trace }),
    catalogue,
    ...(manifests.nodePools.some(isStatic) && { settings: WITH_STATIC_CAPACITY }),
    seed: flags.seed ?? scenario?.seed ?? 1,
    remarks: [
      ...manifests.ignored.map(({ kind, name, note }) => ({ subject: `${kind} ${name}`, text: note })),
      ...gaps.map((text) => ({ text })),
    ],
    durationMs: durationMs ?? HOUR_MS,
    goesOn: durationMs !== undefined,
    ...(flags.records !== undefined && { recorder: recorderTo(flags.records) }),
  };
}

const WITH_STATIC_CAPACITY = {
  ...DEFAULT_SETTINGS,
  featureGates: { ...DEFAULT_SETTINGS.featureGates, staticCapacity: true },
};

/** Records in files, by the code that the functions use. */
function recorderTo(folder: string): DecisionRecorder {
  const { log, archive } = newRecordFiles(userPath(folder));
  return decisionRecorder({ log, archive, snapshotText: decidedText, version: KERF_VERSION });
}

function checkSize(manifests: ParsedManifests): void {
  const { deployments, replicaSets, statefulSets, jobs } = manifests;
  const counts = [
    ...[...deployments, ...replicaSets, ...statefulSets].map(({ spec }) => spec.replicas ?? 1),
    ...jobs.map(({ spec }) => Math.min(spec.parallelism ?? 1, spec.completions ?? Infinity)),
  ];
  const pods = counts.reduce((sum, count) => sum + count, manifests.pods.length);
  if (pods > MAX_PODS)
    throw new BadInputError(`${pods} pods are too many: the limit is ${MAX_PODS}: lower the replicas`);
}
