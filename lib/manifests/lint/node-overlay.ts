import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { requirementAdvice } from './requirements.ts';
import { askedByRequirements } from './values/asked.ts';
import type { KnownFigures } from './values/known-figures.ts';

/** Warns of settings in a valid NodeOverlay that have no effect. */
export function nodeOverlayAdvice({ spec }: NodeOverlay, figures: KnownFigures): readonly FieldProblem[] {
  const asked = askedByRequirements(spec.requirements, ['spec', 'requirements']);
  const { problems } = requirementAdvice(asked, figures, 'so the overlay has no effect');
  const { price, priceAdjustment, capacity = {} } = spec;
  if (price !== undefined || priceAdjustment !== undefined || Object.keys(capacity).length > 0) return problems;
  const message = 'has none of price, priceAdjustment and capacity, so the overlay has no effect';
  return [...problems, { path: ['spec'], message, allowed: 'one of them, such as priceAdjustment: "-10%"' }];
}
