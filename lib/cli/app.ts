import { type Application, buildApplication, buildRouteMap, type RouteMap, text_en, version } from '@stricli/core';
import packageJson from '../../package.json' with { type: 'json' };
import { BadInputError } from '../apis/bad-input-error.ts';
import { adoptCommand } from './adopt/adopt-command.ts';
import { ARGUMENT_ERRORS } from './argument-errors.ts';
import type { CliContext } from './context.ts';
import { convertCommand } from './convert/convert-command.ts';
import { costCommand } from './cost/cost-command.ts';
import { deadLettersRoutes } from './dead-letters/dead-letters-command.ts';
import { decisionsCommand, replayCommand, showCommand } from './decisions/decisions-commands.ts';
import { diffCommand } from './diff/diff-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { EXIT } from './exit-codes.ts';
import { completionCommand } from './help/completion-command.ts';
import { HELP_FLAG } from './help/help-flag.ts';
import { instanceTypesCommand } from './instance-types/instance-types-command.ts';
import { planDisruptionCommand } from './plan/disruption/plan-disruption-command.ts';
import { planProvisioningCommand } from './plan/plan-provisioning-command.ts';
import { reportRoutes } from './report/report-command.ts';
import { schemaCommand } from './schema/schema-command.ts';
import { simulateCommand } from './simulate/simulate-command.ts';
import { snapshotCommand } from './snapshot/snapshot-command.ts';
import { statusCommand } from './status/status-command.ts';
import { topCommand } from './top/top-command.ts';
import { validateCommand } from './validate/validate-command.ts';
import { whyRoutes } from './why/why-commands.ts';

/** `kerf plan …`: shows what a controller would do with a snapshot. */
const planRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { provisioning: planProvisioningCommand, disruption: planDisruptionCommand },
  docs: {
    brief: 'Show the decision for manifests or a snapshot of a cluster',
    fullDescription: [
      'kerf plan PATH... is kerf plan provisioning PATH...',
      '',
      'Examples:',
      '  kerf plan nodepool.yaml deployment.yaml',
      '  kerf plan disruption --snapshot cluster.json',
    ].join('\n'),
  },
});

export const app: Application<CliContext> = buildApplication(
  buildRouteMap({
    routes: {
      simulate: simulateCommand,
      plan: planRoutes,
      why: whyRoutes,
      diff: diffCommand,
      doctor: doctorCommand,
      snapshot: snapshotCommand,
      top: topCommand,
      status: statusCommand,
      cost: costCommand,
      decisions: decisionsCommand,
      show: showCommand,
      replay: replayCommand,
      report: reportRoutes,
      validate: validateCommand,
      convert: convertCommand,
      'instance-types': instanceTypesCommand,
      adopt: adoptCommand,
      'dead-letters': deadLettersRoutes,
      schema: schemaCommand,
      completion: completionCommand,
    },
    docs: {
      brief: 'Node autoscaling for Amazon EKS, without pods in the cluster',
      fullDescription: [
        'kerf help COMMAND, or kerf COMMAND --help, explains a command and shows examples.',
        'Paths are relative to the current folder; - is standard input. A terminal has',
        'colors, and a pipe has none; NO_COLOR=1 and FORCE_COLOR=1 override this.',
        '',
        'The exit code of every command is one of these:',
        '',
        '  0    success',
        '  1    the answer is no: findings, differences, pods without a node',
        '  2    bad input: arguments, files, credentials that are missing',
        '  3    failure of the network, AWS or the cluster, or a bug',
        '  130  Ctrl-C',
        '',
        'Examples:',
        '  kerf simulate nodepools.yaml workloads.yaml',
        '  kerf plan nodepools.yaml workloads.yaml',
        '  kerf snapshot --context prod > cluster.json',
        '  kerf plan provisioning --snapshot cluster.json',
      ].join('\n'),
    },
  }),
  {
    name: 'kerf',
    determineExitCode: (error) => (error instanceof BadInputError ? EXIT.badInput : EXIT.failure),
    localization: {
      text: {
        ...text_en,
        ...ARGUMENT_ERRORS,
      },
    },
  },
  {
    help: HELP_FLAG,
    version: version({ brief: 'Print the version and exit', info: { currentVersion: packageJson.version } }),
  },
);
