import { expect } from 'vitest';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aGivenPod } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

/** Calls of `kerf plan` with hostile snapshots, and the parts of these snapshots. */

export type Json = Readonly<Record<string, unknown>>;

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
const TRACE = /\n\s+at .*:\d+|node:internal|\[object |\bNaN\b|\bundefined\b/;

export async function plan(document: Json | string): Promise<{ readonly text: string; readonly code: number }> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const args = ['plan', 'provisioning', '--snapshot', 'a.json', '--output', 'json'];
  const { stdout, stderr, code } = await runKerf(args, { 'a.json': text });
  expect(stdout + stderr).not.toMatch(TRACE);
  return { text: code === 0 ? stdout : stderr, code };
}

/** The plan, in which every pending pod has a node or a reason. */
export async function planned(document: Json & { readonly pods?: unknown }): Promise<ProvisioningOutput> {
  const { text, code } = await plan(document);
  expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
  const output: ProvisioningOutput = JSON.parse(text);
  const placed = [...output.newNodeClaims, ...output.existing].flatMap((one) => one.pods);
  const refused = Object.entries(output.podErrors);
  expect(refused.filter(([, errors]) => errors.length === 0)).toEqual([]);
  for (const { reason, message } of refused.flatMap(([, errors]) => errors))
    expect([reason, message]).toEqual([expect.stringMatching(/^[A-Z]\w+$/), expect.stringMatching(/\w/)]);
  const pending = pendingPods(document['pods']);
  expect([...placed, ...refused.map(([pod]) => pod)].toSorted()).toEqual(pending);
  return output;
}

function pendingPods(pods: unknown): readonly string[] {
  const all: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName?: string };
  }[] = JSON.parse(JSON.stringify(pods));
  return all
    .flatMap(({ metadata, spec }) => (spec.nodeName === undefined ? [`default/${metadata.name}`] : []))
    .toSorted();
}

export function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export function aPodWith(name: string, spec: Json, labels: Json = {}): Json {
  return aGivenPod(name, spec, { metadata: { name, labels } });
}

export function asking(requests: Json): Json {
  return { containers: [{ name: 'main', resources: { requests } }] };
}

export function near(labels: Json, topologyKey: string): Json {
  const term = { topologyKey, labelSelector: { matchLabels: labels } };
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

export function apart(labelSelector: Json | undefined, topologyKey: string): Json {
  const term = { topologyKey, ...(labelSelector === undefined ? {} : { labelSelector }) };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}
