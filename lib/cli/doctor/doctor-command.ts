import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, textFlag } from '../decisions/history.ts';
import { MANIFEST_PARAMETERS } from '../manifest-parameters.ts';

export interface DoctorFlags {
  readonly cluster: string;
  readonly file: readonly string[] | undefined;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

const { region, profile } = HISTORY_FLAGS;

/** `kerf doctor`: what stands in the way of a deploy, or of Kerf after it. */
export const doctorCommand: Command<CliContext> = buildCommand<DoctorFlags, [], CliContext>({
  docs: {
    brief: 'Check a cluster and its AWS account before or after a deploy',
    fullDescription: [
      'Checks the EKS cluster, its access mode and endpoint, the subnets, security',
      'groups and roles of the EC2NodeClasses (of -f, else of the cluster, else what',
      'has the tag karpenter.sh/discovery=NAME), the quotas that the NodePools and the',
      'functions need (vCPUs of EC2, concurrency of Lambda), other autoscalers, CoreDNS,',
      'the metrics API, the CRDs and the NodePools. It changes nothing. What cannot be',
      'read fails, and the other checks still run. It connects with the AWS credentials',
      'of the shell, or to the API server with the user of a kubeconfig (--kubeconfig or',
      '--context). Exit code 0: nothing fails; 1: a check fails; 2: bad input; 3: nothing',
      'could be read.',
      '',
      'Examples:',
      '  kerf doctor --cluster prod',
      '  kerf doctor --cluster prod -f manifests/ --context prod',
    ].join('\n'),
  },
  parameters: {
    flags: {
      cluster: { kind: 'parsed', brief: 'Name of the EKS cluster', parse: String, placeholder: 'NAME' },
      file: {
        ...MANIFEST_PARAMETERS.flags.file,
        brief: 'Files, folders, or - for standard input, with EC2NodeClasses and NodePools',
      },
      region,
      profile,
      kubeconfig: textFlag('Connect to the cluster with this kubeconfig, as kubectl does', 'FILE'),
      context: textFlag('Connect to the cluster with this context of a kubeconfig (default: the current one)', 'NAME'),
      output: MANIFEST_PARAMETERS.flags.output,
    },
    aliases: { f: 'file', o: 'output' },
  },
  loader: async () => {
    const { runDoctor } = await import('./run-doctor.ts');
    return async function (this: CliContext, flags: DoctorFlags) {
      await runDoctor(this, flags);
    };
  },
});
