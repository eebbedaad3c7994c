import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stateNodes } from '../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { schedulePods } from '../../lib/core/provisioning/schedule-pods.ts';
import { whatIfOf } from '../../lib/core/provisioning/what-if.ts';
import type { Schedule } from '../../lib/core/scheduling/schedule.ts';
import { NOW_MS } from '../builders/times.ts';
import { problem } from './random/problems.ts';
import { type QuestionedSnapshot, questionedDocuments } from './random/questioned-snapshots.ts';
import { textOf } from './schedule-text.ts';

/** Many simulations on one shared state, in any order: no result may depend on earlier simulations. */

const questions = fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 3 }), { minLength: 4, maxLength: 12 });

const fromDocuments = questionedDocuments(questions);

const fromBuilders: fc.Arbitrary<QuestionedSnapshot> = fc
  .record({ of: problem, questions, isPending: fc.boolean() })
  .map(({ of: { snapshot, pods }, questions: asked, isPending }) => ({
    snapshot: { ...snapshot, pods: isPending ? [...snapshot.pods, ...pods] : snapshot.pods },
    nowMs: NOW_MS,
    questions: asked,
  }));

const REPLACED = { deleting: true, replaced: true } as const;

/** The same simulation as a separate cluster in which commands replace these nodes, so that they hold their share of the limits. */
function solvedAfresh(snapshot: ClusterSnapshot, nowMs: number, gone: ReadonlySet<string>): Schedule {
  const options = { ...snapshot.options, reservedFallback: true, longSearch: false };
  const nodes = stateNodes(snapshot).map((one) =>
    gone.has(one.name) && !one.deleting ? { ...one, ...REPLACED } : one,
  );
  return schedulePods({ ...snapshot, options }, nowMs, nodes);
}

test.each([
  { of: 'snapshot files', cases: fromDocuments, numRuns: 250 },
  { of: 'built snapshots', cases: fromBuilders, numRuns: 400 },
])(
  'a simulation of removed nodes has the result of a cluster in which commands replace them, after any other simulations ($of)',
  ({ cases, numRuns }) => {
    let moved = 0;
    let opened = 0;
    fc.assert(
      fc.property(cases, ({ snapshot, nowMs, questions: asked }) => {
        const nodes = stateNodes(snapshot);
        const whatIf = whatIfOf(snapshot, nowMs);
        for (const indexes of asked) {
          const gone = nodes.length === 0 ? [] : indexes.flatMap((index) => nodes[index % nodes.length]?.name ?? []);
          const answer = whatIf(gone);
          const held = new Set(answer.existing.flatMap(({ pods }) => pods));
          moved += [...held].filter(({ spec }) => spec.nodeName !== undefined).length;
          opened += answer.newClaims
            .flatMap(({ pods }) => pods)
            .filter(({ spec }) => spec.nodeName !== undefined).length;
          expect(textOf(answer)).toBe(textOf(solvedAfresh(snapshot, nowMs, new Set(gone))));
        }
      }),
      { seed: 20_261_122, numRuns },
    );
    expect(Math.min(moved, opened)).toBeGreaterThan(numRuns / 2);
  },
);
