import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Action } from '../../model/decision.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';

/** The cluster while these actions are carried out, for the next command of the same pass. */
export function afterActions(snapshot: ClusterSnapshot, actions: readonly Action[], nowMs: number): ClusterSnapshot {
  if (actions.length === 0) return snapshot;
  const deleted = new Map(actions.flatMap((one) => (one.kind === 'delete-node-claim' ? [[one.nodeClaim, one]] : [])));
  const continued = new Map(
    actions.flatMap((one) => (one.kind === 'continue-disruption' ? [[one.command.id, one.command]] : [])),
  );
  const ended = new Set(actions.flatMap((one) => (one.kind === 'end-disruption' ? [one.command] : [])));
  const left = snapshot.nodeClaims.map((record): NodeClaimRecord => {
    const action = deleted.get(record.name);
    if (action === undefined || record.deletion !== undefined) return record;
    return { ...record, deletion: { reason: action.reason, message: action.message, requestedAtMs: nowMs } };
  });
  const moved = actions.flatMap((one) => (one.kind === 'end-disruption' && one.moved !== undefined ? [one.moved] : []));
  return {
    ...snapshot,
    ...(moved.length > 0 && { pastMoves: [...(snapshot.pastMoves ?? []), ...moved] }),
    commands: snapshot.commands.filter(({ id }) => !ended.has(id)).map((one) => continued.get(one.id) ?? one),
    nodeClaims: [...left, ...actions.flatMap((one) => (one.kind === 'create-node-claim' ? [one.nodeClaim] : []))],
  };
}
