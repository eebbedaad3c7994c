/** Parsers for the fields of the configuration: each returns the value, or throws an OptionError with the field and the allowed values. */
import { parseDuration } from '../../apis/formats/duration.ts';
import { isRecord } from '../../apis/record.ts';
import type { WorkloadSelector } from '../../core/model/settings.ts';
import { isPolicyKey } from '../../core/node-claim/repair/repair-policies.ts';
import { OptionError, shown, suggestOption } from './option-values.ts';

/** The network of the functions for a cluster with a private endpoint. */
export interface NetworkOptions {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

export type OptionField<T> = (value: unknown, where: string) => T;

export type OptionFields<T> = { readonly [Key in keyof Required<T>]: OptionField<Required<T>[Key]> };

/** *Errors:* OptionError, also for an unknown field. */
export function readFields<T>(
  value: Readonly<Record<string, unknown>>,
  fields: OptionFields<T>,
  where: string,
): { readonly [Key in keyof T]?: T[Key] } {
  checkKeys(value, Object.keys(fields), where);
  const read: { [Key in keyof T]?: T[Key] } = {};
  for (const key in fields) {
    if (value[key] !== undefined) read[key] = fields[key](value[key], pathOf(where, key));
  }
  return read;
}

/** *Errors:* OptionError for a key that is not a field. */
function checkKeys(value: Readonly<Record<string, unknown>>, fields: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  throw new OptionError(
    `${pathOf(where, unknown)} is not a known field${suggestOption(unknown, fields)}: the fields are ${fields.join(', ')}`,
  );
}

export function pathOf(where: string, key: string): string {
  return `${where}.${key}`;
}

export function textOption(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new OptionError(`${where} is ${shown(value)}: it must be a string that is not empty`);
}

/** A string that matches a pattern; `what` describes the pattern. */
export function textMatching(pattern: RegExp, what: string): OptionField<string> {
  return (value, where) => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw new OptionError(`${where} is ${shown(value)}: it must be ${what}`);
  };
}

export function flag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new OptionError(`${where} is ${shown(value)}: it must be true or false`);
}

export function choiceOf<const Choice extends string>(...choices: readonly Choice[]): OptionField<Choice> {
  return (value, where) => {
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return chosen;
    throw new OptionError(`${where} is ${shown(value)}: it must be one of ${choices.join(', ')}`);
  };
}

export function numberBetween(least: number, most: number, { whole = false } = {}): OptionField<number> {
  return (value, where) => {
    const fits = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value));
    if (fits) return value;
    throw new OptionError(
      `${where} is ${shown(value)}: it must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`,
    );
  };
}

/** *Shape:* the unchanged string. */
export function durationBetween({
  least,
  most,
}: {
  readonly least: string;
  readonly most: string;
}): OptionField<string> {
  return (value, where) => {
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    const fits = ms !== undefined && ms >= (parseDuration(least) ?? 0) && ms <= (parseDuration(most) ?? 0);
    if (typeof value === 'string' && fits) return value;
    throw new OptionError(`${where} is ${shown(value)}: it must be a duration such as 10s, from ${least} to ${most}`);
  };
}

export function flagsAmong<Name extends string>(
  names: readonly Name[],
): OptionField<{ readonly [Key in Name]?: boolean }> {
  return (value, where) => {
    if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object`);
    checkKeys(value, names, where);
    const flags: { [Key in Name]?: boolean } = {};
    for (const name of names) {
      if (value[name] !== undefined) flags[name] = flag(value[name], pathOf(where, name));
    }
    return flags;
  };
}

const NAMESPACE = /^[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?$/;

/** Names of namespaces, at least one. */
export function namespacesOf(value: unknown, where: string): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0;
  const names: readonly unknown[] = isList ? value : [];
  if (isList && names.every((name) => typeof name === 'string' && NAMESPACE.test(name))) return names.map(String);
  throw new OptionError(
    `${where} is ${shown(value)}: it must be a list of at least one namespace, such as ["kube-system","karpenter"]`,
  );
}

const LABEL_KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[0-9A-Za-z](?:[0-9A-Za-z_.-]{0,61}[0-9A-Za-z])?$/;
/** Each value of a label is a figure in each hour. */
const MAX_LABEL_KEYS = 5;

export function labelKeysOf(value: unknown, where: string): readonly string[] {
  const keys: readonly unknown[] = Array.isArray(value) && value.length <= MAX_LABEL_KEYS ? value : [''];
  if (keys.every((key) => typeof key === 'string' && LABEL_KEY.test(key))) return keys.map(String);
  throw new OptionError(
    `${where} is ${shown(value)}: it must be a list of at most ${MAX_LABEL_KEYS} keys of labels, such as ["team"]`,
  );
}

export function selectorsOf(value: unknown, where: string): readonly WorkloadSelector[] {
  if (!Array.isArray(value)) {
    throw new OptionError(`${where} is ${shown(value)}: it must be a list such as [{"namespace":"kube-system"}]`);
  }
  return value.map((one: unknown, index) => selectorOf(one, `${where}[${index}]`));
}

function selectorOf(value: unknown, where: string): WorkloadSelector {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    throw new OptionError(`${where} is ${shown(value)}: it must name a namespace, labels, or both`);
  }
  return readFields<WorkloadSelector>(value, { namespace: textOption, labels: labelsOf }, where);
}

function labelsOf(value: unknown, where: string): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object of labels`);
  return Object.fromEntries(
    Object.entries(value).map(([key, label]) => {
      if (typeof label === 'string') return [key, label];
      throw new OptionError(`${pathOf(where, key)} is ${shown(label)}: it must be a string`);
    }),
  );
}

/** Tolerances of node conditions: `{ "Ready=Unknown": "10m" }`. */
export function repairAfterOf(value: unknown, where: string): Readonly<Record<string, string>> {
  const example = '{"Ready=Unknown":"10m"}';
  if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object such as ${example}`);
  return Object.fromEntries(
    Object.entries(value).map(([key, tolerance]) => {
      if (isPolicyKey(key)) return [key, durationBetween({ least: '1m', most: '24h' })(tolerance, pathOf(where, key))];
      throw new OptionError(
        `${pathOf(where, key)} is not a condition: write TYPE=STATUS with the status True, False or Unknown, such as ${example}`,
      );
    }),
  );
}

export function networkOf(value: unknown, where: string): NetworkOptions {
  if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object`);
  const { vpcId, subnetIds, securityGroupIds } = readFields<NetworkOptions>(
    value,
    { vpcId: idOf('vpc'), subnetIds: listOf(idOf('subnet')), securityGroupIds: listOf(idOf('sg')) },
    where,
  );
  if (vpcId === undefined || subnetIds === undefined || securityGroupIds === undefined) {
    throw new OptionError(`${where} is ${shown(value)}: it must have vpcId, subnetIds and securityGroupIds`);
  }
  return { vpcId, subnetIds, securityGroupIds };
}

function idOf(kind: string): OptionField<string> {
  return textMatching(new RegExp(`^${kind}-[0-9a-f]{8,17}$`), `an id such as ${kind}-0123456789abcdef0`);
}

function listOf<T>(each: OptionField<T>): OptionField<readonly T[]> {
  return (value, where) => {
    if (Array.isArray(value) && value.length > 0)
      return value.map((one: unknown, index) => each(one, `${where}[${index}]`));
    throw new OptionError(`${where} is ${shown(value)}: it must be a list that is not empty`);
  };
}
