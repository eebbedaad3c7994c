import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RawCommand, RawDisruptionSnapshot } from './disruption/verify-disruption.ts';
import type { RawInstanceType, RawPlan, RawSnapshot } from './verifier/raw-documents.ts';

/** Scenarios with Karpenter's results. They are next to the repository, not in it; the titles of tests show if they are absent. */

const FOLDER = resolve(fileURLToPath(new URL('../..', import.meta.url)), '../shared/scenarios');

export interface Scenario {
  readonly name: string;
  readonly snapshot: RawSnapshot;
  /** Karpenter's decision. */
  readonly karpenter: RawPlan;
}

/** Names of the provisioning scenarios that have a result; none if the folder is absent. */
export function scenarioNames(): readonly string[] {
  return namesOf(/^(s\d|l-|od-|x-).*\.result\.json$/);
}

/** The same for disruption. */
export function disruptionScenarioNames(): readonly string[] {
  return namesOf(/^c.*\.result\.json$/);
}

function namesOf(results: RegExp): readonly string[] {
  if (!existsSync(FOLDER)) {
    return [];
  }
  return readdirSync(FOLDER)
    .filter((file) => results.test(file))
    .map((file) => file.replace('.result.json', ''))
    .toSorted();
}

export function readScenario(name: string): Scenario {
  const path = join(FOLDER, `${name}.json`);
  const karpenter: RawPlan = JSON.parse(readFileSync(join(FOLDER, `${name}.result.json`), 'utf8'));
  return { name, snapshot: readSnapshot(path), karpenter };
}

interface DisruptionScenario {
  readonly snapshot: RawDisruptionSnapshot;
  /** The commands that Karpenter chooses. */
  readonly karpenter: readonly RawCommand[];
}

export function readDisruptionScenario(name: string): DisruptionScenario {
  const { chosen }: { readonly chosen: readonly RawCommand[] } = JSON.parse(
    readFileSync(join(FOLDER, `${name}.result.json`), 'utf8'),
  );
  return { snapshot: readSnapshot(join(FOLDER, `${name}.json`)), karpenter: chosen };
}

/** A snapshot that includes the types of its `instanceTypesFile`. */
function readSnapshot(path: string): RawSnapshot {
  const document: RawSnapshot = JSON.parse(readFileSync(path, 'utf8'));
  const { instanceTypesFile, ...snapshot } = document;
  const { instanceTypes = [] } = snapshot;
  return instanceTypesFile === undefined
    ? snapshot
    : {
        ...snapshot,
        instanceTypes: [...instanceTypes, ...catalogueOf(placeOf(resolve(dirname(path), instanceTypesFile)))],
      };
}

/** Some scenarios name the place of the catalogue when they were made. */
function placeOf(path: string): string {
  return existsSync(path) ? path : join(FOLDER, '../data/instance-types', basename(path));
}

const catalogues = new Map<string, readonly RawInstanceType[]>();

function catalogueOf(path: string): readonly RawInstanceType[] {
  const known = catalogues.get(path);
  if (known !== undefined) {
    return known;
  }
  const read: { readonly instanceTypes: readonly RawInstanceType[] } = JSON.parse(readFileSync(path, 'utf8'));
  catalogues.set(path, read.instanceTypes);
  return read.instanceTypes;
}
