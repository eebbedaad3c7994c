import type { Action, Decision } from '../model/decision.ts';

/** The maximum number of new claims in one part, because a recorded decision must fit an item of the table. @internal */
export const MAX_CLAIMS_PER_PART = 50;

/**
 * Splits a decision into parts that are recorded one after the other. *Shape:* each part creates at most `maxClaims` claims, in
 * the order of the decision. A command is continued in the part of its first replacement, and before it (E33). The first part keeps the ID
 * of the decision and has all other actions and refusals.
 */
export function decisionParts(decision: Decision, maxClaims: number = MAX_CLAIMS_PER_PART): readonly Decision[] {
  const parts: Action[][] = [[]];
  let created = 0;
  for (const action of decision.actions) {
    const isOfClaims = isCreation(action) || action.kind === 'continue-disruption';
    const part = isOfClaims ? Math.floor(created / maxClaims) : 0;
    (parts[part] ??= []).push(action);
    if (isCreation(action)) created += 1;
  }
  const { onExistingNodes: _nodes, price: _price, ...bare } = decision;
  return parts.map((actions, index) => {
    if (index === 0) return { ...decision, actions };
    const id = `${decision.id}-${index + 1}`;
    return { ...bare, id, actions: actions.map((action) => ofPart(action, id)), blocked: [] };
  });
}

type Creation = Extract<Action, { readonly kind: 'create-node-claim' }>;

function isCreation(action: Action): action is Creation {
  return action.kind === 'create-node-claim';
}

/** The action with the ID of the decision part that records it. */
function ofPart(action: Action, decisionId: string): Action {
  return isCreation(action) ? { ...action, nodeClaim: { ...action.nodeClaim, decisionId } } : action;
}
