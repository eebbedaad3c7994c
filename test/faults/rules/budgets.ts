import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { DisruptionReason, NodePool } from '../../../lib/apis/node-pool.ts';
import { isNodeReady } from '../../../lib/core/cluster/state-node.ts';
import { commandFromStored, isReplacing, type ReplacingCommand } from '../../../lib/core/model/disruption-command.ts';
import { instanceOf, type NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { isDisruptionCommand } from '../../../lib/providers/dynamodb/stored-shapes.ts';
import { isByHand, type RuleOf } from '../rule.ts';
import { applies, REASON_OF } from './disruption/budget-windows.ts';
import { hasInitializedNode, isInitialized, nodeOf } from './nodes.ts';

/** Another removal may begin between the snapshot of a decision and its end. */
const DECIDED_BEFORE_MS = 3 * MINUTE_MS;
/** The same if no run is slow: a run of disruption, and its decision. */
const DECIDED_SOON_MS = 20 * SECOND_MS;
const SLOW: ReadonlySet<string> = new Set([
  'calls-slow',
  'calls-hang',
  'calls-fail',
  'cut-off',
  'clocks',
  'messages',
  'table-steps',
  'restore-table',
  'other-version',
]);
/** Changes by hand that remove a Node while its instance runs. */
const REMOVING = ['lose-node', 'remove-node'] as const;

/** Voluntary disruption never removes more nodes than the budgets of the NodePool allow (promise 3). */
export const budgetsHold: RuleOf = ({ violate, records, simulation, nowMs, startMs, story }) => {
  const mayLoseNodes = isByHand(story, ...REMOVING);
  const isSlow = story.faults.some(({ kind }) => SLOW.has(kind));
  const decidedMs = isSlow ? DECIDED_BEFORE_MS : DECIDED_SOON_MS;
  const poolSince = new Map<string, { readonly atMs: number; readonly pool: NodePool }[]>();
  /** When a run last began a command that removes the NodeClaim: budgets are read then. From the start of the simulation. */
  const commandMs = new Map<string, number>();
  /** The commands that launched replacements, by id, and when they ended. A restore of the table revives those that have ended. */
  const replacing = new Map<string, { readonly command: ReplacingCommand; endedMs?: number | undefined }>();
  /** E34: when replacements were launched for the NodeClaim, by a command that may remove it now. */
  const replacingSince = (nodeClaim: string): readonly number[] =>
    [...replacing.values()].flatMap(({ command: { candidates, replacingSinceMs }, endedMs = Infinity }) =>
      nowMs() - decidedMs < endedMs && candidates.some((one) => one.nodeClaim === nodeClaim)
        ? [replacingSinceMs - startMs()]
        : [],
    );
  const unreadySinceMs = new Map<string, number>();
  const noteUnready = (): void => {
    const { nodes } = simulation().state;
    for (const [name, node] of nodes)
      if (!isNodeReady(node) && !unreadySinceMs.has(name)) unreadySinceMs.set(name, nowMs());
    for (const name of unreadySinceMs.keys()) {
      const node = nodes.get(name);
      if (node === undefined || isNodeReady(node)) unreadySinceMs.delete(name);
    }
  };
  const note = (): void => {
    for (const [name, pool] of simulation().state.nodePools) {
      const known = poolSince.get(name) ?? [];
      if (known.at(-1)?.pool.spec !== pool.spec) poolSince.set(name, [...known, { atMs: nowMs(), pool }]);
    }
  };
  return {
    replaced() {
      for (const one of replacing.values()) one.endedMs = undefined;
    },
    step() {
      note();
      noteUnready();
    },
    call({ method, args: [, command] }) {
      if (method === 'store.endCommand') {
        const ended = replacing.get(String(command));
        if (ended !== undefined) ended.endedMs ??= nowMs();
      }
      if (!isDisruptionCommand(command)) return;
      const given = commandFromStored(command);
      if (method === 'store.continueCommand' && isReplacing(given) && !replacing.has(given.id))
        replacing.set(given.id, { command: given });
      if (method !== 'store.startCommand') return;
      for (const { nodeClaim } of given.candidates) commandMs.set(nodeClaim, nowMs());
    },
    recordWritten(after, before) {
      const reason = REASON_OF.get(after.deletion?.reason ?? '');
      if (before?.deletion !== undefined || reason === undefined) return;
      note();
      const instances = new Map(
        simulation()
          .ec2.instances()
          .map((one) => [one.id, one]),
      );
      const exists = (record: NodeClaimRecord): boolean => {
        const own = instances.get(instanceOf(record)?.id ?? '');
        return own !== undefined && own.endedAtMs === undefined;
      };
      const mine = [...records.values()].filter(
        (one) =>
          one.nodePool === after.nodePool && one.releasedAtMs === undefined && isInitialized({ simulation }, one),
      );
      // An instance that has ended for another reason does not count from then on.
      const nodes = mine.filter((one) => exists(one) || one.deletion === undefined);
      // E7: only Nodes count. One that was removed by hand has lost its pods, although its instance may run for long: if it registers
      // again, it is not initialized, because its NodeClaim is deleted.
      const counts = (one: NodeClaimRecord): boolean => !mayLoseNodes || hasInitializedNode({ simulation }, one);
      const atMs = startMs() + nowMs();
      const readMs = (commandMs.get(after.name) ?? 0) - decidedMs;
      const isUnready = (one: NodeClaimRecord): boolean =>
        hasInitializedNode({ simulation }, one) &&
        (unreadySinceMs.get(nodeOf({ simulation }, one)?.metadata.name ?? '') ?? Infinity) < readMs;
      const busy = nodes.filter(
        (one) =>
          (one.deletion === undefined
            ? isUnready(one)
            : REASON_OF.has(one.deletion.reason) || one.deletion.requestedAtMs < atMs - decidedMs) && counts(one),
      );
      const recent = (poolSince.get(after.nodePool) ?? []).filter(
        (_, at, all) => nowMs() - (all[at + 1]?.atMs ?? nowMs()) < DECIDED_BEFORE_MS,
      );
      const allowed = Math.max(
        0,
        ...recent.flatMap(({ pool }) =>
          [nowMs(), ...replacingSince(after.name)].map((readAtMs) =>
            allowedBy(pool, mine.length, { reason, nowMs: readAtMs }),
          ),
        ),
      );
      if (recent.length > 0 && busy.length > allowed)
        violate(
          'budgets are never exceeded',
          `NodePool ${after.nodePool} removes ${busy.map(({ name }) => name).join(', ')} of ${mine.length} nodes (the unready ones included), and its budgets allow ${allowed}`,
        );
    },
  };
};

/** The smallest budget that surely applies at this time. */
function allowedBy(
  pool: NodePool,
  nodes: number,
  { reason, nowMs }: { readonly reason: DisruptionReason; readonly nowMs: number },
): number {
  const slackMs = DECIDED_BEFORE_MS + 30 * SECOND_MS;
  const applying = pool.spec.disruption.budgets.filter((budget) => applies(budget, reason, { nowMs, slackMs }));
  return Math.min(...applying.map((budget) => nodesOf(budget.nodes, nodes)), Number.MAX_SAFE_INTEGER);
}

function nodesOf(amount: string, of: number): number {
  return amount.endsWith('%') ? Math.ceil((Number(amount.slice(0, -1)) * of) / 100) : Number(amount);
}
