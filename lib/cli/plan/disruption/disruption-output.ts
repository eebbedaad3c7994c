import { type Candidate, describeCandidate } from '../../../core/disruption/candidates.ts';
import { nodePrice } from '../../../core/disruption/node-price.ts';
import type { DisruptionPlan, PlannedCommand } from '../../../core/disruption/plan-disruption.ts';
import type { Blocked } from '../../../core/model/decision.ts';
import type { DisruptionCommand } from '../../../core/model/disruption-command.ts';
import { instanceOf } from '../../../core/model/node-claim-record.ts';
import { totalUsd } from '../../render/format-money.ts';
import { type ClaimOutput, claimOutput, totalPrice } from '../claim-output.ts';
import { toMicros } from '../provisioning-output.ts';

/** The output of `kerf plan disruption --output json`. */
export interface DisruptionOutput {
  /** In the order in which they would be carried out. */
  readonly commands: readonly CommandOutput[];
  readonly blocked: readonly Blocked[];
  /** Before the commands. */
  readonly clusterHourlyPrice: number;
  readonly durationMs: number;
}

interface CommandOutput extends Pick<DisruptionCommand, 'method' | 'reason'> {
  readonly decision: 'delete' | 'replace';
  readonly candidates: readonly CandidateOutput[];
  readonly replacements: readonly ClaimOutput[];
  readonly sourceHourlyPrice: number;
  /** Less than zero if the replacements cost more. */
  readonly estimatedHourlySavings: number;
}

interface CandidateOutput {
  readonly node: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
}

/** The plan as JSON. */
export function disruptionOutput(plan: DisruptionPlan, durationMs: number): DisruptionOutput {
  return {
    commands: plan.commands.map(commandOutput),
    blocked: plan.blocked,
    clusterHourlyPrice: clusterPrice(plan),
    durationMs: toMicros(durationMs),
  };
}

function commandOutput({ method, reason, candidates, replacements }: PlannedCommand): CommandOutput {
  return {
    method,
    reason,
    decision: replacements.length === 0 ? 'delete' : 'replace',
    candidates: candidates.map(candidateOutput),
    replacements: replacements.map(claimOutput),
    sourceHourlyPrice: totalUsd(candidates.map(priceOf)),
    estimatedHourlySavings: savings([{ candidates, replacements }]),
  };
}

/** The price of the removed nodes less the price of their replacements. */
export function savings(commands: readonly Pick<PlannedCommand, 'candidates' | 'replacements'>[]): number {
  const sources = commands.flatMap(({ candidates }) => candidates.map(priceOf));
  return totalUsd([...sources, -totalPrice(commands.flatMap(({ replacements }) => replacements))]);
}

export function candidateOutput(candidate: Candidate): CandidateOutput {
  const { node, nodePool, instanceType, zone, priceUsdPerHour } = describeCandidate(candidate);
  const capacityType = instanceOf(candidate.nodeClaim)?.capacityType ?? 'unknown';
  return { node, nodePool, instanceType, zone, capacityType, price: priceUsdPerHour };
}

function priceOf(candidate: Candidate): number {
  return describeCandidate(candidate).priceUsdPerHour;
}

/** The price of all instances that Kerf has launched. */
export function clusterPrice({ nodes, nodePools }: Pick<DisruptionPlan, 'nodes' | 'nodePools'>): number {
  const launched = nodes.filter(({ nodeClaim }) => nodeClaim !== undefined && instanceOf(nodeClaim) !== undefined);
  return totalUsd(launched.map((stateNode) => nodePrice(stateNode, nodePools)));
}
