import { buildCommand, type Command } from '@stricli/core';
import { parseDuration } from '../../apis/formats/duration.ts';
import type { CliContext } from '../context.ts';
import { PAGE_FLAGS } from '../live/page-flags.ts';

export interface SimulateFlags {
  readonly seed: number | undefined;
  readonly speed: number | undefined;
  readonly for: number | undefined;
  readonly region: string | undefined;
  readonly output: 'text' | 'json';
  /** @default all up to six hours, else hours */
  readonly show: Detail | undefined;
  readonly 'fail-on-pending': boolean;
  readonly records: string | undefined;
  readonly report: string | undefined;
  readonly web: boolean;
  readonly top: boolean;
  readonly port: number | undefined;
}

export const DETAILS = ['all', 'decisions', 'hours', 'summary'] as const;
/** Which entries of the timeline are printed. */
export type Detail = (typeof DETAILS)[number];

/** `kerf simulate FILE…`: runs manifests on a simulated cluster. */
export const simulateCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Run manifests on a simulated EKS cluster and EC2',
    fullDescription: [
      'Reads NodePools, EC2NodeClasses, Deployments, ReplicaSets, StatefulSets,',
      'DaemonSets, Jobs, CronJobs, Pods, HorizontalPodAutoscalers and',
      'PodDisruptionBudgets from YAML files ("-" is standard input), runs them in',
      'virtual time and shows every decision. A pod of a Job runs for the time in the',
      'annotation kerf.dev/simulated-duration of its template (default: 1m). A',
      'kerf.dev/v1alpha1 Scenario in the files defines events and their times, and the',
      'usage of autoscaled workloads. A plain AL2023 class stands in for an',
      'EC2NodeClass that no file has. NodePools with spec.replicas get their nodes, as',
      'with the setting featureGates.staticCapacity. Kustomizations, Helm charts,',
      'patches, templates in folders and other kinds are passed over by name. The',
      'command changes nothing outside this process.',
      '',
      'The run ends at --for, or at the duration of the Scenario. Without both, it ends',
      'when only the expiry of nodes remains, after 1h at most. Ctrl-C ends it early and',
      'prints the summary so far.',
      '',
      '--records DIR writes the record of each decision, and the snapshots of decisions',
      'that acted, for kerf decisions, show, why --at and replay.',
      '',
      '--report FILE writes the run as one HTML page: the nodes at each moment, the',
      'decisions with their reasons, and the cost. The page loads nothing from a network.',
      '',
      '--web serves the same page on 127.0.0.1 while the simulation runs, and prints its',
      'address. The page pauses and steps the simulation, changes its speed, interrupts a',
      'spot node, fails a zone, or multiplies the load by ten. Ctrl-C ends it.',
      '',
      '--top shows the nodes, pending pods and decisions in the terminal while it runs, with',
      'the keys of kerf top. q ends it, and prints the summary.',
      '',
      '--show all prints every event; decisions those of Kerf and of the Scenario; hours',
      'the events of the Scenario and a line for each hour; summary only the summary.',
      '',
      'Exit codes: 0; 1 with --fail-on-pending for pods that should run and are pending,',
      'and for Jobs that failed; 2 for bad input; 130 for Ctrl-C.',
      '',
      'Examples:',
      '  kerf simulate nodepools.yaml workloads.yaml',
      '  kerf simulate charts/ --for 24h --show hours',
      '  kerf simulate cluster/ scenario.yaml --fail-on-pending -o json',
      '  kerf simulate cluster/ scenario.yaml --report run.html',
      '  kerf simulate cluster/ workloads.yaml --web',
      '  kerf simulate cluster/ workloads.yaml --top --speed 60',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Files, folders, or - for standard input', placeholder: 'PATH', parse: String },
      minimum: 1,
    },
    flags: {
      seed: {
        kind: 'parsed',
        placeholder: 'NUMBER',
        brief: 'Seed of the random numbers (default: that of the Scenario, else 1)',
        parse: wholeNumber,
        optional: true,
      },
      speed: {
        kind: 'parsed',
        placeholder: 'NUMBER',
        brief: 'Simulated seconds per second; 1 is real time (default: no limit)',
        parse: positiveNumber,
        optional: true,
      },
      for: {
        kind: 'parsed',
        placeholder: 'DURATION',
        brief: 'Virtual time to simulate, such as 24h (default: that of the Scenario)',
        parse: duration,
        optional: true,
      },
      region: {
        kind: 'parsed',
        placeholder: 'REGION',
        brief: 'AWS region if no NodePool names a zone',
        parse: String,
        optional: true,
      },
      output: { kind: 'enum', brief: 'text or json', values: ['text', 'json'], default: 'text' },
      show: {
        kind: 'enum',
        brief: 'What to print of the timeline (default: all up to 6h, then hours)',
        values: DETAILS,
        optional: true,
      },
      records: {
        kind: 'parsed',
        brief: 'Write the records of decisions and their snapshots to this folder',
        parse: String,
        optional: true,
        placeholder: 'DIR',
      },
      ...PAGE_FLAGS,
      top: {
        kind: 'boolean',
        brief: 'Show the run in the terminal, as kerf top shows a cluster',
        default: false,
        withNegated: false,
      },
      'fail-on-pending': {
        kind: 'boolean',
        brief: 'Exit with code 1 if pods that should run are pending at the end, or Jobs failed',
        default: false,
        withNegated: false,
      },
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runSimulate } = await import('./run-simulate.ts');
    return async function (this: CliContext, flags: SimulateFlags, ...files: string[]) {
      await runSimulate(this, flags, files);
    };
  },
});

/** At this speed an hour takes four days. */
const MIN_SPEED = 0.01;

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new SyntaxError(`"${text}" is not a whole number: write a number such as 42`);
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value >= MIN_SPEED) || !Number.isFinite(value))
    throw new SyntaxError(
      `"${text}" is not a speed: write a number of ${MIN_SPEED} or more, such as 1 (real time) or 60`,
    );
  return value;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0)
    throw new SyntaxError(`"${text}" is not a duration: write a duration such as 90s, 30m or 2h`);
  return ms;
}
