import fc from 'fast-check';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { NOW_MS } from '../../builders/times.ts';
import { problem } from './problems.ts';
import { randomSnapshot } from './random-snapshot.ts';

/** A snapshot, and sets of its nodes that are removed. */
export interface QuestionedSnapshot {
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
  /** Indexes of nodes, more than there are nodes: they wrap around. */
  readonly questions: readonly (readonly number[])[];
}

/** Pods are bound to the nodes by their `nodeName`; the more run, the more move. */
export function questionedDocuments(
  questions: fc.Arbitrary<QuestionedSnapshot['questions']>,
): fc.Arbitrary<QuestionedSnapshot> {
  return fc.record({ raw: randomSnapshot, questions }).map(({ raw, questions: asked }) => ({
    ...readSnapshot({ readText: () => JSON.stringify(raw) }, { path: 'random.json', nowMs: NOW_MS }),
    questions: asked,
  }));
}

/** The same for snapshots that are built as objects. */
export function questionedProblems(
  questions: fc.Arbitrary<QuestionedSnapshot['questions']>,
): fc.Arbitrary<QuestionedSnapshot> {
  return fc
    .record({ of: problem, questions })
    .map(({ of: { snapshot }, questions: asked }) => ({ snapshot, nowMs: NOW_MS, questions: asked }));
}
