/** The five kinds as the API server serves them, and their definitions as Kerf ships them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { parse } from 'yaml';
import { compareText } from '../../../lib/core/compare-text.ts';
import { at, listAt, textAt } from '../../stack/json.ts';
import { type Answer, callApi, read, succeed } from './api-client.ts';

const DEFINITIONS_FOLDER = join(import.meta.dirname, '../../../data/crds');

const WAIT = { timeout: 20_000, interval: 50 };

export const COLLECTIONS = {
  NodePool: '/apis/karpenter.sh/v1/nodepools',
  NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  NodeOverlay: '/apis/karpenter.sh/v1alpha1/nodeoverlays',
  EC2NodeClass: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
  CapacityBuffer: '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers',
} as const;

export type Kind = keyof typeof COLLECTIONS;

const KINDS = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass', 'CapacityBuffer'] as const;

export interface Sample {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface Definition {
  readonly name: string;
  readonly manifest: string;
}

/** *Shape:* by name. *Errors:* where a file holds anything but one CustomResourceDefinition. */
export function shippedDefinitions(): readonly Definition[] {
  return readdirSync(DEFINITIONS_FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const manifest = readFileSync(join(DEFINITIONS_FOLDER, file), 'utf8');
      const parsed: unknown = parse(manifest);
      if (at(parsed, 'kind') !== 'CustomResourceDefinition')
        throw new Error(`${file} holds no CustomResourceDefinition`);
      return { name: textAt(parsed, 'metadata', 'name'), manifest };
    })
    .toSorted((one, other) => compareText(one.name, other.name));
}

export function definitionPath({ name }: Definition): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
}

/** Server-side apply of the unchanged file, of which the server must not drop fields. */
export async function applyDefinition(definition: Definition): Promise<Answer> {
  return await callApi({
    method: 'PATCH',
    path: definitionPath(definition),
    query: { fieldManager: 'kerf', fieldValidation: 'Strict' },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: definition.manifest,
  });
}

export function conditionOf(object: unknown, type: string): unknown {
  return at(
    listAt(object, 'status', 'conditions').find((condition) => at(condition, 'type') === type),
    'status',
  );
}

/** Applies the definition and returns the stored object. *Errors:* with the server's message. */
export async function install(definition: Definition): Promise<unknown> {
  const { status, body } = await applyDefinition(definition);
  if (status >= 300) throw new Error(`${definition.name}: ${status} ${textAt(body, 'message')}`);
  return await established(definition);
}

/** Waits until objects of all five kinds can be written. */
export async function installDefinitions(): Promise<void> {
  for (const definition of shippedDefinitions()) await install(definition);
  for (const kind of KINDS) await vi.waitFor(async () => await read(COLLECTIONS[kind]), WAIT);
}

async function established(definition: Definition): Promise<unknown> {
  return await vi.waitFor(async () => {
    const object = await read(definitionPath(definition));
    if (conditionOf(object, 'Established') === 'True') return object;
    throw new Error(`${definition.name} is not Established: ${JSON.stringify(at(object, 'status'))}`);
  }, WAIT);
}

export function pathOf({ kind, metadata }: Sample): string {
  return `${COLLECTIONS[kind]}/${metadata.name}`;
}

export async function create(object: Sample): Promise<Answer> {
  return await callApi({
    method: 'POST',
    path: COLLECTIONS[object.kind],
    query: { fieldValidation: 'Strict' },
    body: object,
  });
}

/** A dry run of the creation: nothing is stored. */
export async function judge(object: Sample): Promise<Answer> {
  return await callApi({
    method: 'POST',
    path: COLLECTIONS[object.kind],
    query: { fieldValidation: 'Strict', dryRun: 'All' },
    body: object,
  });
}

export async function removeAll(): Promise<void> {
  for (const kind of KINDS) await succeed({ method: 'DELETE', path: COLLECTIONS[kind] });
}
