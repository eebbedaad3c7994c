import type { FleetNode, NodeChange } from '../../page/fleet/frame.ts';

export interface ChangedNodes {
  readonly nodes: readonly NodeChange[];
  readonly gone: readonly string[];
}

/** The nodes by id, and which of their fields have changed since they were last taken. */
export interface NodeChanges {
  get(id: string | undefined): FleetNode | undefined;
  /** Adds a node that is not known. */
  add(node: FleetNode): void;
  /** Changes a node, if it is known. */
  set(id: string | undefined, change: Partial<FleetNode>): void;
  remove(id: string): void;
  take(): ChangedNodes;
}

export function nodeChanges(): NodeChanges {
  /** As they were last taken. */
  const taken = new Map<string, FleetNode>();
  const now = new Map<string, FleetNode>();
  const changed = new Set<string>();
  return {
    get: (id = '') => now.get(id),
    add(node) {
      if (now.has(node.id)) return;
      now.set(node.id, node);
      changed.add(node.id);
    },
    set(id = '', change) {
      const before = now.get(id);
      if (before === undefined) return;
      now.set(id, { ...before, ...change });
      changed.add(id);
    },
    remove(id) {
      if (now.delete(id)) changed.add(id);
    },
    take() {
      const ids = [...changed];
      changed.clear();
      const nodes = ids.flatMap((id) => changeOf(taken.get(id), now.get(id)));
      const gone = ids.filter((id) => taken.has(id) && !now.has(id));
      for (const id of ids) {
        const node = now.get(id);
        if (node === undefined) taken.delete(id);
        else taken.set(id, node);
      }
      return { nodes, gone };
    },
  };
}

/** The fields that differ. *Shape:* empty if none does. */
function changeOf(before: FleetNode | undefined, after: FleetNode | undefined): readonly NodeChange[] {
  if (after === undefined) return [];
  if (before === undefined) return [after];
  const known = new Map<string, unknown>(Object.entries(before));
  const different = Object.entries(after).filter(([name, value]) => known.get(name) !== value);
  return different.length === 0 ? [] : [{ id: after.id, ...Object.fromEntries(different) }];
}
