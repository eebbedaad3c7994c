import type { Action, Decision } from '../model/decision.ts';

/** The maximum number of new claims in one part, because a recorded decision must fit an item of the table. @internal */
export const MAX_CLAIMS_PER_PART = 50;

/**
 * Splits a decision into parts that are recorded one after the other. *Shape:* each part creates at most `maxClaims` claims, in
 * the order of the decision. The first part keeps the ID of the decision and has all other actions and refusals.
 */
export function decisionParts(decision: Decision, maxClaims: number = MAX_CLAIMS_PER_PART): readonly Decision[] {
  const creations = decision.actions.filter(isCreation);
  if (creations.length <= maxClaims) return [decision];
  const others = decision.actions.filter((action) => !isCreation(action));
  const { onExistingNodes: _nodes, price: _price, ...bare } = decision;
  const count = Math.ceil(creations.length / maxClaims);
  return Array.from({ length: count }, (_part, index) => {
    const own = creations.slice(index * maxClaims, (index + 1) * maxClaims);
    if (index === 0) return { ...decision, actions: [...own, ...others] };
    const id = `${decision.id}-${index + 1}`;
    return { ...bare, id, actions: own.map((creation) => ofPart(creation, id)), blocked: [] };
  });
}

type Creation = Extract<Action, { readonly kind: 'create-node-claim' }>;

function isCreation(action: Action): action is Creation {
  return action.kind === 'create-node-claim';
}

/** The claim with the ID of the decision part that records it. */
function ofPart(creation: Creation, decisionId: string): Creation {
  return { ...creation, nodeClaim: { ...creation.nodeClaim, decisionId } };
}
