import type { RunReport } from '../../lib/controllers/run/ports.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { DisruptionCommand, ProposedCommand, ReplacingCommand } from '../../lib/core/model/disruption-command.ts';
import { NOW_MS, SECOND } from './times.ts';

/** A decision of the provisioner without actions. */
export function aDecision(over: Partial<Decision> = {}): Decision {
  return {
    id: 'decision-1',
    cluster: 'demo',
    controller: 'provisioning',
    atMs: NOW_MS,
    actions: [],
    blocked: [],
    ...over,
  };
}

/** The report of a run of lifecycle that did nothing. */
export function aRunReport(over: Partial<RunReport> = {}): RunReport {
  return { controller: 'lifecycle', cluster: 'demo', decisions: [], due: [], gauges: {}, failures: [], ...over };
}

/** A proposed command of the emptiness method without nodes. It is validated 15 s after its decision. */
export function aCommand(over: Partial<ProposedCommand> = {}): ProposedCommand {
  const { decidedAtMs = NOW_MS } = over;
  return {
    id: 'command-1',
    method: 'emptiness',
    reason: 'Empty',
    candidates: [],
    replacements: [],
    state: 'proposed',
    decidedAtMs,
    validateAtMs: decidedAtMs + 15 * SECOND,
    ...over,
  };
}

/** A command that waits for the NodeClaims `replacement-1`, … since its validation. */
export function aReplacingCommand(over: Partial<ReplacingCommand> = {}): ReplacingCommand {
  const { replacementClaims = ['replacement-1'] } = over;
  const replacements = replacementClaims.map(() => ({
    nodePool: 'general',
    instanceTypes: ['m5.large'],
    priceUsdPerHour: 0.05,
  }));
  const command = aCommand({ method: 'single-node', reason: 'Underutilized', replacements });
  return { ...command, replacementClaims, replacingSinceMs: command.validateAtMs, ...over, state: 'replacing' };
}

/** The nodes with these names as candidates of a command. They are as `initializedNode` makes them. */
export function candidatesNamed(...names: readonly string[]): DisruptionCommand['candidates'] {
  return names.map((name) => ({
    nodeClaim: `claim-${name}`,
    nodePool: 'general',
    node: name,
    instanceType: 'm5.large',
    zone: 'eu-west-3a',
    priceUsdPerHour: 0.1,
  }));
}
