import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GeneratedCase,
  requestDocument,
  type SnapshotDocument,
  snapshotDocument,
  WORKLOADS,
} from './snapshot-document.ts';
import { requestLists } from './workloads/request-lists.ts';

/** A snapshot to measure: a generated one, or a file, with the result of Karpenter if there is one next to it. */
export type Case =
  | { readonly kind: 'generated'; readonly name: string; readonly document: () => SnapshotDocument }
  | { readonly kind: 'scenario'; readonly name: string; readonly file: string; readonly resultFile?: string };

/** Sizes to measure the growth of each workload, up to the largest number of pods that a cluster adds at once. */
const SIZES: Readonly<Record<GeneratedCase['workload'], readonly number[]>> = {
  generic: [2_000, 10_000, 20_000],
  diverse: [500, 2_000, 5_000, 10_000, 20_000],
  deployments: [2_000, 10_000, 20_000],
  preferences: [500, 2_000],
  existing: [5_000],
};

export interface CaseOptions {
  /** A folder of scenario files. */
  readonly scenarios?: string | undefined;
  /** A folder of lists of requests. */
  readonly requests?: string | undefined;
  /** Names, or prefixes of names followed by `*`. @default all but the small scenarios */
  readonly names?: readonly string[] | undefined;
}

/** The cases to measure, scenarios first. *Errors:* RangeError for a name that no case has. */
export function chooseCases({ scenarios, requests, names }: CaseOptions): readonly Case[] {
  const all = [
    ...(scenarios === undefined ? [] : scenarioCases(scenarios)),
    ...(requests === undefined ? [] : requestCases(requests)),
    ...generatedCases(),
  ];
  if (names === undefined) return all.filter(({ kind, name }) => kind === 'generated' || !/^s\d/.test(name));
  const unknown = names.find((wanted) => !all.some(({ name }) => isMeant(name, wanted)));
  if (unknown !== undefined) {
    throw new RangeError(
      `--cases: there is no case ${unknown}: write some of ${all.map(({ name }) => name).join(',')}`,
    );
  }
  return all.filter(({ name }) => names.some((wanted) => isMeant(name, wanted)));
}

function isMeant(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

function generatedCases(): readonly Case[] {
  return WORKLOADS.flatMap((workload) =>
    SIZES[workload].map((pods) => ({
      kind: 'generated' as const,
      name: `${workload}-${pods}`,
      document: () => snapshotDocument({ workload, pods }),
    })),
  );
}

function requestCases(folder: string): readonly Case[] {
  return requestLists(folder).map(({ name, requests }) => ({
    kind: 'generated',
    name: `requests-${name}`,
    document: () => requestDocument(name, requests),
  }));
}

/** Files of provisioning scenarios, by their names: large ones, their variants, and small ones. */
function scenarioCases(folder: string): readonly Case[] {
  return readdirSync(folder)
    .filter((file) => /^(l-|od-|x-|s\d).*\.json$/.test(file) && !file.endsWith('.result.json'))
    .toSorted()
    .map((file) => {
      const name = file.replace(/\.json$/, '');
      const resultFile = join(folder, `${name}.result.json`);
      return {
        kind: 'scenario',
        name,
        file: join(folder, file),
        ...(existsSync(resultFile) ? { resultFile } : {}),
      };
    });
}
