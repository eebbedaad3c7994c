/** Observes a simulation from the outside, and calls the rules with every effect of a port call and every state after a step. */

import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { WebhookAnswer } from '../../lib/controllers/webhook.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { SimulatedInvocation } from '../../lib/simulator/aws/simulated-lambda.ts';
import { around } from '../../lib/simulator/faults.ts';
import type { ReportedFailure } from '../../lib/simulator/functions.ts';
import type { OpenSimulation } from '../../lib/simulator/simulation.ts';
import type { Rule, RuleOf, Violation, Watched } from './rule.ts';
import type { Story } from './story/story.ts';
import type { FaultyTable } from './table.ts';
import { learning, watchedPorts } from './watched-ports.ts';

export interface Watch extends Watched {
  readonly violations: readonly Violation[];
  /** The store through which the rules read, without faults. */
  lookInto(table: Pick<FaultyTable, 'plain' | 'plainMarks' | 'unreadable'>): void;
  /** The table was replaced. Reads that are under way may have read the new one. */
  replaced(): void;
  /** Reads every record again, after the table was replaced. */
  readonly lookAgain: () => Promise<void>;
  wrapPorts(ports: ControllerPorts): ControllerPorts;
  /** The ports of one invocation, in front of the faults of calls. */
  wrapInvocation(ports: ControllerPorts, invocation: SimulatedInvocation): ControllerPorts;
  /** The ports of a second deployment. */
  wrapSecond(ports: ControllerPorts): ControllerPorts;
  /** The simulation, once it is assembled. */
  begin(simulation: OpenSimulation): void;
  readonly answered: (answer: WebhookAnswer) => void;
  readonly failed: (failure: ReportedFailure) => void;
  step(): void;
  unsettled(): readonly string[];
}

function of<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the simulation has not begun');
  return value;
}

export function watch(story: Story, rulesOf: readonly RuleOf[]): Watch {
  const violations: Violation[] = [];
  const records = new Map<string, NodeClaimRecord>();
  const open = new Map<string, { readonly decision: Decision; readonly sinceMs: number }>();
  let simulation: OpenSimulation | undefined;
  let raw: ControllerPorts | undefined;
  let plain: ControllerPorts['store'] | undefined;
  let plainMarks: FaultyTable['plainMarks'] | undefined;
  let unreadable: FaultyTable['unreadable'] | undefined;
  let startMs = 0;
  const nowMs = (): number => of(raw).clock.now() - startMs;
  const watched: Watched = {
    story,
    simulation: () => of(simulation),
    ports: () => of(raw),
    nowMs,
    startMs: () => startMs,
    records,
    open,
    objectOf(fault) {
      if (fault.kind === 'unreadable-record') return of(unreadable)(fault);
      return fault.kind === 'object-refused' ? of(simulation).refusedObject(fault) : undefined;
    },
    violate: (rule, message) => void violations.push({ rule, atMs: nowMs(), message }),
  };
  const rules = rulesOf.map((rule) => rule(watched));
  const each = (tell: (rule: Rule) => void): void => rules.forEach(tell);
  let [versionSeen, secondSeen] = [-1, -1];
  return {
    ...watched,
    violations,
    lookInto(table) {
      plain = table.plain;
      plainMarks = table.plainMarks;
      unreadable = table.unreadable;
    },
    replaced: () => each((rule) => rule.replaced?.()),
    async lookAgain() {
      const store = of(plain);
      const known = [...records.values()];
      for (const { cluster, name } of known) {
        const found = await store.readNodeClaim(cluster, name);
        if (found === undefined) records.delete(name);
        else records.set(name, found);
      }
      open.clear();
      for (const decision of await store.openDecisions('simulated'))
        open.set(decision.id, { decision, sinceMs: nowMs() });
      each((rule) => rule.replaced?.());
    },
    wrapPorts(ports) {
      raw = ports;
      startMs = ports.clock.now();
      return watchedPorts(ports, { each, records, open, nowMs, plain: of(plain), plainMarks: of(plainMarks) });
    },
    wrapInvocation(ports, invocation) {
      each((rule) => rule.began?.(invocation));
      const sent = around(ports, async (call, go) => {
        each((rule) => rule.sending?.(call));
        return go();
      });
      return learning(sent, { each, invocation });
    },
    wrapSecond: (ports) =>
      around(ports, async (call, go) => {
        each((rule) => rule.secondCall?.(call));
        return go();
      }),
    begin(begun) {
      simulation = begun;
    },
    answered: (answer) => each((rule) => rule.answered?.(answer)),
    failed: (failure) => each((rule) => rule.failed?.(failure)),
    step() {
      const { version } = of(simulation).state;
      const second = Math.floor(nowMs() / 1_000);
      if (version === versionSeen && second === secondSeen) return;
      [versionSeen, secondSeen] = [version, second];
      each((rule) => rule.step?.());
    },
    unsettled: () => rules.flatMap((rule) => rule.unsettled?.() ?? []),
  };
}
