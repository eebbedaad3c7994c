import type { Report } from '../manifests/problem.ts';
import type { ReadObject } from '../manifests/read-object.ts';

/** Reports what is legal in an object and surely not meant. */
export type Advisor = (object: ReadObject, report: Report) => void;

export function adviser(_all: readonly ReadObject[]): Advisor {
  return () => undefined;
}
