import { parseDuration } from '../../apis/formats/duration.ts';
import { isQuantity, parseQuantityNano } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { FieldProblem } from './field-problem.ts';
import { KUBELET_FIELDS } from './kubelet-fields.ts';
import { decodeFields } from './strict-decode.ts';

type Kubelet = Readonly<Record<string, unknown>>;
type Rule = (kubelet: Kubelet) => readonly FieldProblem[];

const EVICTION_SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const;
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'] as const;

/**
 * Why Karpenter would set an EC2NodeClass with this `spec.kubelet` to not ready (A3.16). The API server accepts anything
 * there. `kubeletExpressionProblems` checks expressions. *Shape:* paths from `spec.kubelet`; empty where it is valid.
 */
export function kubeletProblems(kubelet: Kubelet): readonly FieldProblem[] {
  const given = withoutNulls(kubelet);
  return RULES.flatMap((rule) => rule(given));
}

/** The API server drops null fields of this map, but not nested null fields. */
function withoutNulls(kubelet: Kubelet): Kubelet {
  return Object.fromEntries(Object.entries(kubelet).filter(([, value]) => value !== null));
}

const RULES: readonly Rule[] = [
  decodes,
  (kubelet) => maxPods(kubelet['maxPods']),
  withoutTaints,
  (kubelet) => thresholds(kubelet, 'evictionHard'),
  (kubelet) => thresholds(kubelet, 'evictionSoft'),
  (kubelet) => thresholds(kubelet, 'evictionMinimumReclaim'),
  gracePeriods,
  (kubelet) => withoutPartner(kubelet, 'evictionSoft'),
  (kubelet) => withoutPartner(kubelet, 'evictionSoftGracePeriod'),
  (kubelet) => reserved(kubelet, 'kubeReserved'),
  (kubelet) => reserved(kubelet, 'systemReserved'),
  (kubelet) => atLeastZero(kubelet, 'podsPerCore'),
  (kubelet) => atLeastZero(kubelet, 'evictionMaxPodGracePeriod'),
  imageGarbageCollection,
];

function decodes(kubelet: Kubelet): readonly FieldProblem[] {
  const { maxPods: count, ...rest } = kubelet;
  return decodeFields(typeof count === 'string' ? rest : kubelet, KUBELET_FIELDS, []);
}

/** A3.17: text is an expression, which is evaluated for each instance type. */
function maxPods(count: unknown): readonly FieldProblem[] {
  const path = ['maxPods'];
  const allowed = 'a whole number of zero or more without quotes, such as 110';
  return isBelowZero(count) ? [{ path, message: `${quote(count)} is below zero`, allowed }] : [];
}

function withoutTaints(kubelet: Kubelet): readonly FieldProblem[] {
  if (!Object.hasOwn(kubelet, 'registerWithTaints')) return [];
  return [
    {
      path: ['registerWithTaints'],
      message: 'is set by Karpenter',
      allowed: 'the taints in the NodePool, as spec.template.spec.taints',
    },
  ];
}

/** The entries of a map of text. Go decodes null as empty text; values of other types are reported elsewhere. */
function entriesOf(kubelet: Kubelet, field: string): readonly (readonly [string, string])[] {
  const map = kubelet[field];
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return [];
  return Object.entries(map).flatMap(([key, value]: [string, unknown]) => {
    if (value === null) return [[key, ''] as const];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
}

function unknownKey(path: readonly string[], message: string, known: readonly string[]): readonly FieldProblem[] {
  const key = path.at(-1) ?? '';
  return known.includes(key) ? [] : [{ path, message, allowed: `one of ${known.join(', ')}`, known }];
}

function thresholds(kubelet: Kubelet, field: string): readonly FieldProblem[] {
  return entriesOf(kubelet, field).flatMap(([signal, value]) => {
    const path = [field, signal];
    const unknown = unknownKey(path, 'is not an eviction signal of the kubelet', EVICTION_SIGNALS);
    if (isThreshold(value)) return unknown;
    const message = `${quote(value)} is not a threshold`;
    return [...unknown, { path, message, allowed: 'a quantity such as 100Mi, or a percentage from 0% to 100%' }];
  });
}

const DIGITS = '[0-9](?:_?[0-9])*';
/** A decimal number in Go's syntax. Go also accepts NaN, which is neither below 0 nor above 100. */
const FLOAT = new RegExp(`^(?:[+-]?(?:${DIGITS}[.]?(?:${DIGITS})?|[.]${DIGITS})(?:[eE][+-]?${DIGITS})?|[nN][aA][nN])$`);

function isThreshold(text: string): boolean {
  if (!text.endsWith('%')) return isQuantity(text) && (parseQuantityNano(text) ?? 0n) >= 0n;
  const digits = text.slice(0, -1);
  const percent = Number(digits.replaceAll('_', ''));
  return FLOAT.test(digits) && !(percent < 0) && !(percent > 100);
}

function gracePeriods(kubelet: Kubelet): readonly FieldProblem[] {
  const field = 'evictionSoftGracePeriod';
  return entriesOf(kubelet, field).flatMap(([signal, value]) => {
    const path = [field, signal];
    const unknown = unknownKey(path, 'is not an eviction signal of the kubelet', EVICTION_SIGNALS);
    if ((parseDuration(value) ?? -1) >= 0) return unknown;
    const message = `${quote(value)} is not a duration`;
    return [...unknown, { path, message, allowed: 'a duration of zero or more, such as 90s or 2m30s' }];
  });
}

const PARTNERS = {
  evictionSoft: { partner: 'evictionSoftGracePeriod', allowed: 'a duration such as 90s' },
  evictionSoftGracePeriod: { partner: 'evictionSoft', allowed: 'a threshold such as 500Mi or 10%' },
} as const;

/** The kubelet ignores a soft threshold without its grace period, and rejects a grace period without its threshold. */
function withoutPartner(kubelet: Kubelet, field: keyof typeof PARTNERS): readonly FieldProblem[] {
  const { partner, allowed } = PARTNERS[field];
  const signals = new Set(entriesOf(kubelet, partner).map(([signal]) => signal));
  return entriesOf(kubelet, field)
    .filter(([signal]) => !signals.has(signal))
    .map(([signal]) => ({ path: [partner, signal], message: `is missing, but ${field} has it`, allowed }));
}

function reserved(kubelet: Kubelet, field: string): readonly FieldProblem[] {
  return entriesOf(kubelet, field).flatMap(([resource, value]) => {
    const path = [field, resource];
    const unknown = unknownKey(path, 'cannot be reserved', RESERVABLE);
    if (!value.startsWith('-')) return unknown;
    const message = `${quote(value)} is below zero`;
    return [...unknown, { path, message, allowed: 'a quantity of zero or more, such as 100m or 1Gi' }];
  });
}

function atLeastZero(kubelet: Kubelet, field: string): readonly FieldProblem[] {
  const count = kubelet[field];
  if (!isBelowZero(count)) return [];
  return [{ path: [field], message: `${quote(count)} is below zero`, allowed: 'a whole number of zero or more' }];
}

function isBelowZero(value: unknown): boolean {
  return typeof value === 'number' && value < 0;
}

/** Above the high threshold the kubelet removes images until usage reaches the low threshold. */
function imageGarbageCollection(kubelet: Kubelet): readonly FieldProblem[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  const outside = Object.entries({ imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low })
    .filter(([, value]) => typeof value === 'number' && (value < 0 || value > 100))
    .map(([field, value]) => ({
      path: [field],
      message: `${quote(value)} is not a percentage`,
      allowed: 'a whole number from 0 to 100',
    }));
  if (outside.length > 0 || typeof high !== 'number' || typeof low !== 'number' || high > low) return outside;
  return [
    {
      path: ['imageGCHighThresholdPercent'],
      message: `${high} is not above imageGCLowThresholdPercent, ${low}`,
      allowed: low < 100 ? `a number from ${low + 1} to 100` : 'a number above a lower imageGCLowThresholdPercent',
    },
  ];
}
