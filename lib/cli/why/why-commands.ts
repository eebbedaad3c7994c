import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { PLAN_PARAMETERS, type PlanFlags } from '../plan/plan-parameters.ts';

export interface WhyFlags extends PlanFlags {
  /** Of a pod. */
  readonly namespace?: string | undefined;
}

export type WhyKind = 'pod' | 'node' | 'nodeclaim';

const { aliases, flags } = PLAN_PARAMETERS;

const NAMESPACE = {
  kind: 'parsed',
  brief: 'Namespace of the pod (default: default)',
  parse: String,
  optional: true,
  placeholder: 'NAME',
} as const;

type Explain<Flags> = (this: CliContext, flags: Flags, name: string) => void;

/** Loads the code only when the command runs. */
function explains(kind: WhyKind): () => Promise<Explain<WhyFlags>> {
  return async () => {
    const { runWhy } = await import('./run-why.ts');
    return function (given, name) {
      runWhy(this, given, { kind, name });
    };
  };
}

function docsOf(
  brief: string,
  { description, examples }: { readonly description: readonly string[]; readonly examples: readonly string[] },
): { readonly brief: string; readonly fullDescription: string } {
  const last = [
    'Manifests (-f) are applied to the snapshot first. Exit code 0: explained; 2: bad',
    'input, or no object of this name; 3: failure.',
    '',
    'Examples:',
    ...examples,
  ];
  return {
    brief,
    fullDescription: [...description, ...last].join('\n'),
  };
}

const NAME = {
  kind: 'tuple',
  parameters: [{ brief: 'Name of the object', placeholder: 'NAME', parse: String }],
} as const;

const podCommand: Command<CliContext> = buildCommand({
  docs: docsOf('Explain why a pod is pending, or has its node', {
    description: [
      'Reads a snapshot of a cluster (JSON) and explains one pod: what it waits for,',
      'the node that it has or would get, or why no NodePool has a node for it, with',
      'what to do.',
    ],
    examples: [
      '  kerf why pod web-1 -n shop --snapshot cluster.json',
      '  kerf why pod web-1 --snapshot cluster.json -f nodepool.yaml',
    ],
  }),
  parameters: { positional: NAME, flags: { ...flags, namespace: NAMESPACE }, aliases: { ...aliases, n: 'namespace' } },
  loader: explains('pod'),
});

const nodeCommand: Command<CliContext> = buildCommand<PlanFlags, [string], CliContext>({
  docs: docsOf('Explain why a node stays, or is removed', {
    description: [
      'Reads a snapshot of a cluster (JSON) and explains one node: what it costs, why',
      'it stays, or which command removes it and what this saves.',
    ],
    examples: [
      '  kerf why node ip-10-0-1-7.ec2.internal --snapshot cluster.json',
      '  kerf why node ip-10-0-1-7.ec2.internal --snapshot cluster.json -f pool.yaml',
    ],
  }),
  parameters: { positional: NAME, flags, aliases },
  loader: explains('node'),
});

const nodeClaimCommand: Command<CliContext> = buildCommand<PlanFlags, [string], CliContext>({
  docs: docsOf('Explain the state of a NodeClaim', {
    description: [
      'Reads a snapshot of a cluster (JSON) and explains one NodeClaim: its launch, its',
      'node, or its removal and what this waits for.',
    ],
    examples: [
      '  kerf why nodeclaim general-x7k2p --snapshot cluster.json',
      '  kerf why nodeclaim general-x7k2p --snapshot cluster.json --output json',
    ],
  }),
  parameters: { positional: NAME, flags, aliases },
  loader: explains('nodeclaim'),
});

/** `kerf why …`: explains one object of a snapshot. */
export const whyRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { pod: podCommand, node: nodeCommand, nodeclaim: nodeClaimCommand },
  docs: { brief: 'Explain why a pod, node or NodeClaim is as it is' },
});
