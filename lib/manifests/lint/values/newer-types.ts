import { INSTANCE_CATEGORY, INSTANCE_FAMILY, INSTANCE_GENERATION, INSTANCE_TYPE } from '../../../apis/labels.ts';
import { admits, type Requirement } from '../../../core/requirements/requirement.ts';
import type { KnownTypeIndex } from './type-index.ts';

const PREFIX = 'karpenter.k8s.aws/';
/** Their names end with the number of a model. */
const MODELS: ReadonlySet<string> = new Set([`${PREFIX}instance-gpu-name`, `${PREFIX}instance-accelerator-name`]);

const FORM = /^([a-z]+)(\d+)[a-z]*(?:-[a-z0-9]+)?$/;
const SIZE = /^(?:nano|micro|small|medium|x?large|\d+xlarge|metal(?:-\d+xl)?)$/;
const MODEL = /^([a-z][a-z0-9-]*?)(\d+)$/;
/** `m55` is a misspelt m5, not a type of a later generation. */
const GENERATIONS_AHEAD = 2;
/** `t44` is a misspelt t4, not a later model. */
const LATEST_MODEL_FACTOR = 2;

/** True for a value that no type of the bundled data has and a type of EC2 may have by now. */
export function mayBeNewer(key: string, value: string, types: KnownTypeIndex): boolean {
  if (types.hasValue(key, value)) return false;
  if (key === INSTANCE_TYPE || key === INSTANCE_FAMILY) return isNewerFamily(key, value, types);
  if (key === INSTANCE_GENERATION) return newerGenerations(types).includes(value);
  if (key === INSTANCE_CATEGORY) return /^[a-z]$/.test(value);
  return MODELS.has(key) && isNewerModel(value, types.valuesOf(key));
}

/** True if a type of a generation that the bundled data does not have may meet the requirement. */
export function mayMeetNewer(requirement: Requirement, types: KnownTypeIndex): boolean {
  return requirement.key === INSTANCE_GENERATION && newerGenerations(types).some((value) => admits(requirement, value));
}

function newerGenerations(types: KnownTypeIndex): readonly string[] {
  const newest = Math.max(0, ...types.valuesOf(INSTANCE_GENERATION).map(Number));
  return Array.from({ length: GENERATIONS_AHEAD }, (_, index) => `${newest + index + 1}`);
}

/** Of a known category, and of its newest generation or a later one. */
function isNewerFamily(key: string, value: string, types: KnownTypeIndex): boolean {
  const [family = '', size] = value.split('.', 2);
  const hasForm = key === INSTANCE_FAMILY ? family === value : size !== undefined && SIZE.test(size);
  const [, category, number] = (hasForm && FORM.exec(family)) || [];
  if (category === undefined || types.hasValue(INSTANCE_FAMILY, family)) return false;
  const { names } = types.namesUnder(INSTANCE_FAMILY, category.charAt(0));
  const newest = newestOf(names.filter((name) => FORM.exec(name)?.[1] === category));
  const last = newestOf(types.valuesOf(INSTANCE_FAMILY)) + GENERATIONS_AHEAD;
  return newest > 0 && Number(number) >= newest && Number(number) <= last;
}

function newestOf(families: readonly string[]): number {
  return Math.max(0, ...families.map((family) => Number(FORM.exec(family)?.[2] ?? 0)));
}

/** `trainium3`: a known name with a larger number. */
function isNewerModel(value: string, known: readonly string[]): boolean {
  const [, name, number] = MODEL.exec(value) ?? [];
  const numbers = known.flatMap((one) => {
    const [, other, itsNumber] = MODEL.exec(one) ?? [];
    return other === name && itsNumber !== undefined ? [Number(itsNumber)] : [];
  });
  const latest = Math.max(0, ...numbers);
  return Number(number) > latest && Number(number) <= latest * LATEST_MODEL_FACTOR;
}
