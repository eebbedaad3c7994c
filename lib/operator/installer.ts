/** The installer's wiring: EKS alone. */
import { EKSClient } from '@aws-sdk/client-eks';
import { installAccess, removeAccess } from '../controllers/install.ts';
import type { AccessEntry, WantedAccess } from '../core/install/access-entries.ts';
import { eksAccessEntries } from '../providers/aws/eks-access-entries.ts';
import { type CustomResource, type CustomResourceRuntime, type Properties, putAnswer } from './custom-resource.ts';
import { OptionError, parseJson } from './option-values.ts';
import { telemetryOf } from './telemetry.ts';

export function wireInstaller(): { readonly runtime: CustomResourceRuntime; readonly resource: CustomResource } {
  const entries = eksAccessEntries(new EKSClient());
  return {
    runtime: { telemetry: telemetryOf('installer'), put: putAnswer },
    resource: {
      install: async (properties) => installAccess(entries, readAccess(properties)),
      remove: async (properties, kept) => removeAccess(entries, withoutKept(readAccess(properties), kept)),
    },
  };
}

/** What the stack writes into the property `Access`. *Errors:* OptionError where it is something else. */
export function readAccess(properties: Properties): readonly WantedAccess[] {
  const access = parseJson(String(properties['Access']), 'Access');
  if (isWantedAccess(access)) return access;
  throw new OptionError(`Access is ${JSON.stringify(access)}: it must be what the stack of this version writes`);
}

function withoutKept(before: readonly WantedAccess[], kept: Properties | undefined): readonly WantedAccess[] {
  if (kept === undefined) return before;
  const stays = new Set(readAccess(kept).flatMap(({ cluster, entries }) => entries.map((one) => keyOf(cluster, one))));
  return before.map(({ cluster, entries }) => ({
    cluster,
    entries: entries.filter((one) => !stays.has(keyOf(cluster, one))),
  }));
}

function keyOf(cluster: string, { principal }: AccessEntry): string {
  return `${cluster} ${principal}`;
}

function isWantedAccess(value: unknown): value is readonly WantedAccess[] {
  return Array.isArray(value) && value.every((one: unknown) => hasFields(one, ['cluster', 'entries']));
}

function hasFields(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}
