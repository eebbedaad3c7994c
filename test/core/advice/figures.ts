import { readFileSync } from 'node:fs';
import { readFacts } from '../../../lib/core/instance-type/catalogue.ts';
import type { InstanceTypeFacts } from '../../../lib/core/instance-type/facts.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';

export function shippedFacts(): readonly InstanceTypeFacts[] {
  return readFacts(JSON.parse(readFileSync(new URL('../../../data/instance-types.json', import.meta.url), 'utf8')));
}

/** `field: what is wrong; write what is allowed` */
export function sentences(problems: readonly FieldProblem[]): readonly string[] {
  return problems.map(({ path, message, allowed }) => `${path.join('.')}: ${message}; write ${allowed}`);
}
