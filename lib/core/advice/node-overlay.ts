import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { FieldProblem } from '../validation/field-problem.ts';
import { askedByRequirements } from './asked.ts';
import type { KnownFigures } from './known-figures.ts';
import { requirementAdvice } from './requirements.ts';

/** What a valid NodeOverlay says that is legal and has no effect. */
export function nodeOverlayAdvice({ spec }: NodeOverlay, figures: KnownFigures): readonly FieldProblem[] {
  const asked = askedByRequirements(spec.requirements, ['spec', 'requirements']);
  const { problems } = requirementAdvice(asked, figures, 'so the overlay has no effect');
  const { price, priceAdjustment, capacity = {} } = spec;
  if (price !== undefined || priceAdjustment !== undefined || Object.keys(capacity).length > 0) return problems;
  const message = 'has neither price, priceAdjustment nor capacity, so the overlay has no effect';
  return [...problems, { path: ['spec'], message, allowed: 'one of them, such as priceAdjustment: "-10%"' }];
}
