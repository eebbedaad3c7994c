import { expect, test } from 'vitest';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** Every field of a decision. The compiler requires an entry for a new field. */
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

test('recorded and published decisions have exactly the fields of a decision, as JSON', async () => {
  const decisions: Decision[] = [];
  await live({ catalogue: SMALL_CATALOGUE, wrapPorts: collecting(decisions) });
  expect(new Set(decisions.map(({ controller }) => controller)).size).toBeGreaterThan(3);
  for (const decision of decisions) {
    expect(Object.keys(decision).filter((field) => !Object.hasOwn(FIELDS, field))).toEqual([]);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  }
});
