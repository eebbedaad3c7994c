import { HOUR_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { describeAction, describeRefused } from '../../core/decisions/action-words.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Frame, LogLine } from '../../page/fleet/frame.ts';
import { recordedNodes } from './recorded-nodes.ts';
import { recordedPods } from './recorded-pods.ts';

/** A record, with its snapshot if one is stored. */
export interface RecordedMoment {
  readonly record: DecisionRecord;
  readonly snapshot?: ClusterSnapshot;
}

/** Actions that a page of a recorded time does not show. */
const QUIET = new Set(['nominate-node', 'tag-instance', 'learn-memory']);

/**
 * The frames of a page from the records of a time, in their order. What pods on nodes request is that of the last snapshot.
 * *Shape:* a frame for each record.
 */
export async function recordedFrames(
  moments: AsyncIterable<RecordedMoment>,
  startMs: number,
): Promise<readonly Frame[]> {
  const nodes = recordedNodes(startMs);
  const frames: Frame[] = [];
  let cost = { usd: 0, atMs: startMs, usdPerHour: 0 };
  const pods = recordedPods(startMs);
  for await (const { record, snapshot } of moments) {
    if (snapshot !== undefined) {
      nodes.snapshot(snapshot);
      pods.snapshot(snapshot, record);
    }
    nodes.record(record);
    pods.record(record);
    const usd = cost.usd + (cost.usdPerHour * Math.max(0, record.atMs - cost.atMs)) / HOUR_MS;
    cost = { usd, atMs: record.atMs, usdPerHour: nodes.usdPerHour() };
    const at = Math.max(0, (record.atMs - startMs) / SECOND_MS);
    const changed = nodes.take();
    frames.push({
      at,
      ...(changed.nodes.length > 0 && { nodes: changed.nodes }),
      ...(changed.gone.length > 0 && { gone: changed.gone }),
      pending: pods.pending(),
      lines: linesOf(record, at),
      figures: { usdPerHour: cost.usdPerHour, costUsd: rounded(usd), boundUsdPerHour: 0, ...pods.counts() },
    });
  }
  return frames;
}

function linesOf({ actions, refusals, function: name, wokenBy }: DecisionRecord, at: number): readonly LogLine[] {
  const isProposal = name === 'provisioning' || name === 'disruption';
  return [
    ...actions.map((action): LogLine => {
      const isQuiet = QUIET.has(action.kind);
      const decision = !isQuiet && (isProposal || action.kind === 'delete-node-claim');
      const text = `${describeAction(action)} (woken by ${wokenBy})`;
      return { at, label: name, text, style: isQuiet ? 'quiet' : 'plain', decision };
    }),
    ...refusals.map((refusal): LogLine => {
      const text = `${refusal.reason}: ${describeRefused(refusal)}: ${refusal.message}`;
      return { at, label: 'refused', text, style: 'quiet', decision: true };
    }),
  ];
}

function rounded(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
