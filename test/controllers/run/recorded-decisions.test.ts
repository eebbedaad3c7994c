import { expect, test } from 'vitest';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** Every field of a decision. Exhaustive: a new field does not compile without. */
const FIELDS: Readonly<Record<keyof Decision, true>> = {
  id: true,
  cluster: true,
  controller: true,
  atMs: true,
  actions: true,
  blocked: true,
  onExistingNodes: true,
  shadow: true,
};

/** Collects the decisions that are recorded and published. */
function collecting(decisions: Decision[]) {
  return (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    store: {
      ...ports.store,
      recordDecision: async (decision, epoch, lease) => {
        decisions.push(decision);
        await ports.store.recordDecision(decision, epoch, lease);
      },
      recordShadow: async (decision, essence) => {
        decisions.push(decision);
        return ports.store.recordShadow(decision, essence);
      },
    },
    messages: {
      ...ports.messages,
      publish: async (decision) => {
        decisions.push(decision);
        await ports.messages.publish(decision);
      },
    },
  });
}

test('what is recorded and published has the fields of a decision and no other, as JSON has them', async () => {
  const decisions: Decision[] = [];
  await live({ catalogue: SMALL_CATALOGUE, wrapPorts: collecting(decisions) });
  expect(new Set(decisions.map(({ controller }) => controller)).size).toBeGreaterThan(3);
  for (const decision of decisions) {
    expect(Object.keys(decision).filter((field) => !Object.hasOwn(FIELDS, field))).toEqual([]);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  }
});
