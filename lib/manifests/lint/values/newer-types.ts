import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { KnownTypeIndex } from './type-index.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const FORM = /^([a-z]+)(\d+)[a-z]*(?:-[a-z0-9]+)?$/;
const SIZE = /^(?:nano|micro|small|medium|x?large|\d+xlarge|metal(?:-\d+xl)?)$/;
/** `m55` is a misspelt m5, not a type of a later generation. */
const GENERATIONS_AHEAD = 2;

/**
 * True for a type or family that the bundled data does not have and EC2 may have by now: of a known category, and of its newest
 * generation or a later one.
 */
export function mayBeNewer(key: string, value: string, types: KnownTypeIndex): boolean {
  if (key !== INSTANCE_TYPE && key !== FAMILY) return false;
  const [family = '', size] = value.split('.', 2);
  const hasForm = key === FAMILY ? family === value : size !== undefined && SIZE.test(size);
  const [, category, number] = (hasForm && FORM.exec(family)) || [];
  if (category === undefined || types.hasValue(FAMILY, family)) return false;
  const { names } = types.namesUnder(FAMILY, category.charAt(0));
  const newest = newestOf(names.filter((name) => FORM.exec(name)?.[1] === category));
  const last = newestOf(types.valuesOf(FAMILY)) + GENERATIONS_AHEAD;
  return newest > 0 && Number(number) >= newest && Number(number) <= last;
}

function newestOf(families: readonly string[]): number {
  return Math.max(0, ...families.map((family) => Number(FORM.exec(family)?.[2] ?? 0)));
}
