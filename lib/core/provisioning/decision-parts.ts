import type { Action, Decision } from '../model/decision.ts';

/** The maximum number of new claims in one part, because a recorded decision must fit an item of the table. @internal */
export const MAX_CLAIMS_PER_PART = 50;

/**
 * Splits a decision into parts that are recorded one after the other. *Shape:* each part creates at most `maxClaims` claims, in
 * the order of the decision, or more if one command of disruption has more: a command and all its replacements are in one part (E33), so that
 * none of them is created without the others. The first part keeps the ID of the decision and has all other actions and refusals.
 */
export function decisionParts(decision: Decision, maxClaims: number = MAX_CLAIMS_PER_PART): readonly Decision[] {
  const first: Action[] = [];
  const parts = [first];
  let [last, created] = [first, 0];
  const partWith = (claims: number): Action[] => {
    if (created > 0 && created + claims > maxClaims) {
      last = [];
      parts.push(last);
      created = 0;
    }
    created += claims;
    return last;
  };
  const replacements = Map.groupBy(decision.actions.filter(isCreation), ({ nodeClaim }) => nodeClaim.command);
  const ofCommands = new Map<string | undefined, Action[]>();
  for (const action of decision.actions) {
    if (action.kind === 'continue-disruption') {
      const { id } = action.command;
      const part = partWith(replacements.get(id)?.length ?? 0);
      part.push(action);
      ofCommands.set(id, part);
    } else if (isCreation(action)) (ofCommands.get(action.nodeClaim.command) ?? partWith(1)).push(action);
    else first.push(action);
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
