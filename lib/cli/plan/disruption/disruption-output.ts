import { optional } from '../../../apis/optional.ts';
import { type Candidate, describeCandidate } from '../../../core/disruption/candidates.ts';
import { nodePrice } from '../../../core/disruption/node-price.ts';
import type { DisruptionPlan } from '../../../core/disruption/plan-disruption.ts';
import type { PlannedCommand } from '../../../core/disruption/play-out.ts';
import type { Blocked } from '../../../core/model/decision.ts';
import type { DisruptionCommand } from '../../../core/model/disruption-command.ts';
import { instanceOf } from '../../../core/model/node-claim-record.ts';
import type { Refusal } from '../../../core/model/refusal.ts';
import { totalUsd } from '../../render/format-money.ts';
import { type ClaimOutput, claimOutput, totalPrice } from '../claim-output.ts';
import { toMicros } from '../provisioning-output.ts';

/** The output of `kerf plan disruption --output json`. */
export interface DisruptionOutput {
  /** In the order in which they would be carried out. */
  readonly commands: readonly CommandOutput[];
  /** NodeClaims of static NodePools beyond `spec.replicas`. They are deleted before the commands. Left out if there are none. */
  readonly surplus?: DisruptionPlan['surplus'];
  readonly blocked: readonly Blocked[];
  /** Before the commands. */
  readonly clusterHourlyPrice: number;
  readonly durationMs: number;
  /** Objects without an effect. */
  readonly notes: readonly string[];
}

interface CommandOutput extends Pick<DisruptionCommand, 'method' | 'reason'> {
  readonly decision: 'delete' | 'replace';
  readonly candidates: readonly CandidateOutput[];
  readonly replacements: readonly ClaimOutput[];
  readonly sourceHourlyPrice: number;
  /** Less than zero if the replacements cost more. */
  readonly estimatedHourlySavings: number;
  /** E26: the share of the savings divided by the share of the disruption. Left out if no NodePool must approve the command. */
  readonly score?: number;
  /** Why it would wait: for the evictions of the commands before it, or because it saves little. Left out if it would not. */
  readonly waitsFor?: Refusal;
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
export function disruptionOutput(
  plan: DisruptionPlan,
  { durationMs, notes }: { readonly durationMs: number; readonly notes: readonly string[] },
): DisruptionOutput {
  return {
    commands: plan.commands.map(commandOutput),
    ...(plan.surplus.length > 0 && { surplus: plan.surplus }),
    blocked: plan.blocked,
    clusterHourlyPrice: clusterPrice(plan),
    durationMs: toMicros(durationMs),
    notes,
  };
}

function commandOutput({ method, reason, candidates, replacements, score, waitsFor }: PlannedCommand): CommandOutput {
  return {
    method,
    reason,
    decision: replacements.length === 0 ? 'delete' : 'replace',
    candidates: candidates.map(candidateOutput),
    replacements: replacements.map((claim) => claimOutput(claim)),
    sourceHourlyPrice: totalUsd(candidates.map(priceOf)),
    estimatedHourlySavings: savings([{ candidates, replacements }]),
    ...optional({ score, waitsFor }),
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
