import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { isReplacing } from '../model/disruption-command.ts';

/**
 * The NodeClaims that commands replace now. Their pods are placed on the replacements, as if the nodes were being deleted (E33).
 * While a replacement is missing, its command does not count, because it is going to end: otherwise provisioning would launch
 * other nodes for the pods.
 */
export function replacedClaims({
  commands,
  nodeClaims,
}: Pick<ClusterSnapshot, 'commands' | 'nodeClaims'>): ReadonlySet<string> {
  const replacing = commands.filter(isReplacing);
  if (replacing.length === 0) return new Set();
  const alive = new Set(nodeClaims.flatMap(({ name, deletion }) => (deletion === undefined ? [name] : [])));
  return new Set(
    replacing
      .filter(({ replacementClaims }) => replacementClaims.every((name) => alive.has(name)))
      .flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)),
  );
}
