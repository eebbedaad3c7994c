import { parseDuration } from '../../apis/formats/duration.ts';
import { isQuantity } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import { isRecord } from '../../apis/record.ts';
import type { FieldProblem } from './field-problem.ts';
import type { KubeletFieldShape } from './kubelet-fields.ts';

type Path = FieldProblem['path'];

/** A3.16: reports what Go's strict decoder rejects: unknown fields (case-sensitive) and values of the wrong type. */
function strictDecode(value: unknown, shape: KubeletFieldShape, path: Path): readonly FieldProblem[] {
  if (value === null && shape !== 'duration') return [];
  if (typeof shape === 'string') return wrongLeaf(value, shape, path);
  switch (shape.kind) {
    case 'list':
      if (!Array.isArray(value)) return [wrong(value, path, listAllowed(value, shape.items))];
      return value.flatMap((item: unknown, index) => strictDecode(item, shape.items, [...path, index]));
    case 'map':
      if (!isRecord(value)) return [wrong(value, path, 'a map')];
      return Object.entries(value).flatMap(([key, one]) => strictDecode(one, shape.values, [...path, key]));
    case 'object':
      if (!isRecord(value)) return [wrong(value, path, 'a map')];
      return decodeFields(value, shape.fields, path);
  }
}

export function decodeFields(
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, KubeletFieldShape>>,
  path: Path,
): readonly FieldProblem[] {
  return Object.entries(value).flatMap(([name, one]) => {
    const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return shape === undefined
      ? [unknownField(Object.keys(fields), [...path, name])]
      : strictDecode(one, shape, [...path, name]);
  });
}

/** The maximum number of names in a list of allowed fields. */
const NAMES_WORTH_LISTING = 12;

function unknownField(known: readonly string[], path: Path): FieldProblem {
  const allowed =
    known.length > NAMES_WORTH_LISTING
      ? 'a field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1), such as maxPods or kubeReserved'
      : `one of ${known.join(', ')}`;
  return { path, message: 'is not a field of KubeletConfiguration', allowed, known };
}

type Leaf = Extract<KubeletFieldShape, string>;

const INTEGERS = {
  int32: { least: -2_147_483_648, most: 2_147_483_647 },
  uint32: { least: 0, most: 4_294_967_295 },
  int64: { least: -(2 ** 63), most: 2 ** 63 },
} as const;

function wrongLeaf(value: unknown, leaf: Leaf, path: Path): readonly FieldProblem[] {
  const allowed = whyWrong(value, leaf);
  return allowed === undefined ? [] : [wrong(value, path, allowed)];
}

/** Describes the allowed values; undefined where the value is allowed. */
function whyWrong(value: unknown, leaf: Leaf): string | undefined {
  switch (leaf) {
    case 'anything':
      return undefined;
    case 'text':
      return typeof value === 'string' ? undefined : textAllowed(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'number':
      return typeof value === 'number' ? undefined : 'a number without quotes';
    case 'int32':
    case 'uint32':
    case 'int64':
      return isInteger(value, leaf) ? undefined : integerFrom(leaf);
    case 'duration':
    case 'duration-or-null':
      return isDuration(value) ? undefined : DURATION;
    case 'duration-or-nanoseconds':
      return isDuration(value) || isInteger(value, 'int64') ? undefined : DURATION;
    case 'quantity':
      return isAmount(value) ? undefined : 'a quantity such as 100m, 2 or 512Mi';
  }
}

function textAllowed(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? `it in quotes: "${value}"` : 'text';
}

function listAllowed(value: unknown, items: KubeletFieldShape): string {
  return typeof value === 'string' && items === 'text' && value.length <= 80 ? JSON.stringify([value]) : 'a list';
}

const DURATION = 'a duration such as 10s or 1h30m';

function integerFrom(kind: keyof typeof INTEGERS): string {
  return kind === 'int64'
    ? 'a whole number without quotes'
    : `a whole number without quotes, from ${INTEGERS[kind].least} to ${INTEGERS[kind].most}`;
}

function isInteger(value: unknown, kind: keyof typeof INTEGERS): boolean {
  const { least, most } = INTEGERS[kind];
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** Go accepts negative durations, which our parser does not. */
function isDuration(value: unknown): boolean {
  return typeof value === 'string' && parseDuration(value.replace(/^-/, '+')) !== undefined;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && isQuantity(value.trim()));
}

function wrong(value: unknown, path: Path, allowed: string): FieldProblem {
  return { path, message: `cannot be ${quote(value)}`, allowed };
}
