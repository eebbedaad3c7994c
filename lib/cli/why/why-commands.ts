import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core';
import { BadInputError } from '../../apis/bad-input-error.ts';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, parseMoment } from '../decisions/history.ts';
import { PLAN_PARAMETERS, type PlanFlags } from '../plan/plan-parameters.ts';

/** Of an explanation from a snapshot. */
export interface WhyFlags extends PlanFlags {
  /** Of a pod. */
  readonly namespace?: string | undefined;
}

/** Of an explanation from records. */
export interface PastFlags extends HistoryFlags {
  readonly at: Moment;
  readonly output: 'text' | 'json';
}

interface Flags extends Omit<WhyFlags, 'snapshot'>, Partial<Pick<PastFlags, 'at'>>, HistoryFlags {
  readonly snapshot?: string | undefined;
}

export type WhyKind = 'pod' | 'node' | 'nodeclaim';

const { aliases } = PLAN_PARAMETERS;

const flags = {
  ...PLAN_PARAMETERS.flags,
  snapshot: { ...PLAN_PARAMETERS.flags.snapshot, optional: true },
  at: {
    kind: 'parsed',
    brief: 'Explain from the records: 2h, 7d (before now) or 2026-01-31T08:00:00Z',
    parse: parseMoment,
    optional: true,
    placeholder: 'TIME',
  },
  ...HISTORY_FLAGS,
} as const;

const NAMESPACE = {
  kind: 'parsed',
  brief: 'Namespace of the pod (default: default)',
  parse: String,
  optional: true,
  placeholder: 'NAME',
} as const;

type Explain = (this: CliContext, flags: Flags, name: string) => Promise<void>;

/** Loads the code only when the command runs. */
function explains(kind: WhyKind): () => Promise<Explain> {
  return async () => {
    const [{ runWhy }, { runWhyAt }] = await Promise.all([import('./run-why.ts'), import('./run-why-at.ts')]);
    return async function (given, name) {
      const { at, snapshot, namespace = 'default' } = given;
      if (at !== undefined) {
        const key = kind === 'pod' ? `${namespace}/${name}` : name;
        await runWhyAt(this, { ...given, at }, { kind, name: key });
      } else if (snapshot === undefined)
        throw new BadInputError(
          'an explanation needs a cluster: add --snapshot FILE, or for the past --at TIME with --records DIR or --table NAME',
        );
      else runWhy(this, { ...given, snapshot }, { kind, name });
    };
  };
}

function docsOf(
  brief: string,
  { description, examples }: { readonly description: readonly string[]; readonly examples: readonly string[] },
): { readonly brief: string; readonly fullDescription: string } {
  const last = [
    'Manifests (-f) are applied to the snapshot first. With --at, the records of',
    'decisions explain what happened until then (--records DIR, or --table NAME and',
    '--cluster NAME). Exit code 0: explained; 2: bad input, or no object of this',
    'name; 3: failure.',
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

const podCommand: Command<CliContext> = buildCommand<Flags, [string], CliContext>({
  docs: docsOf('Explain why a pod is pending, or has its node', {
    description: [
      'Reads a snapshot of a cluster (JSON) and explains one pod: what it waits for,',
      'the node that it has or would get, or why no NodePool has a node for it, with',
      'what to do.',
    ],
    examples: [
      '  kerf why pod web-1 -n shop --snapshot cluster.json',
      '  kerf why pod web-1 --snapshot cluster.json -f nodepool.yaml',
      '  kerf why pod web-1 --at 2h --table Kerf-Table --cluster demo',
    ],
  }),
  parameters: { positional: NAME, flags: { ...flags, namespace: NAMESPACE }, aliases: { ...aliases, n: 'namespace' } },
  loader: explains('pod'),
});

const nodeCommand: Command<CliContext> = buildCommand<Omit<Flags, 'namespace'>, [string], CliContext>({
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

const nodeClaimCommand: Command<CliContext> = buildCommand<Omit<Flags, 'namespace'>, [string], CliContext>({
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
  docs: {
    brief: 'Explain why a pod, node or NodeClaim is as it is',
    fullDescription: [
      'From a snapshot of a cluster, or with --at from the records of decisions.',
      '',
      'Examples:',
      '  kerf why pod web-1 -n shop --snapshot cluster.json',
      '  kerf why node ip-10-0-1-7.ec2.internal --snapshot cluster.json',
    ].join('\n'),
  },
});
