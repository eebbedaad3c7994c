import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from '../../lib/page/fleet/frame.ts';
import { type FleetHistory, type FleetState, fleetHistory } from '../../lib/page/fleet/history.ts';
import { samples } from '../samples.ts';
import { aNode, manyFrames } from './frames.ts';

/** A copy, because a history changes its state when it is asked for another time. */
function copyAt(history: FleetHistory, seconds: number): FleetState {
  const { nodes, ...rest } = history.stateAt(seconds);
  return { ...rest, nodes: new Map(nodes) };
}

function historyOf(frames: readonly Frame[]): FleetHistory {
  const history = fleetHistory();
  history.add(frames);
  return history;
}

const NAMES = ['a', 'b', 'c', 'd'];

const change = fc.record({ id: fc.constantFrom(...NAMES), pods: fc.nat(9) }, { requiredKeys: ['id'] });
const frames = fc
  .array(
    fc.record(
      {
        wait: fc.integer({ min: 1, max: 3 }),
        nodes: fc.array(change, { maxLength: 3 }),
        gone: fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }),
        count: fc.nat(5),
      },
      { requiredKeys: ['wait'] },
    ),
    { minLength: 1, maxLength: 400 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(({ wait, nodes, gone, count }): Frame => {
      at += wait;
      return {
        at,
        ...(nodes !== undefined && { nodes }),
        ...(gone !== undefined && { gone }),
        ...(count !== undefined && { pending: [{ workload: 'Deployment a/b', count, since: at, reason: '' }] }),
      };
    });
  });

test('scrubbing in any order shows the same states as playing', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(1_300), { maxLength: 20 }), (all, jumps) => {
      const jumping = historyOf(all);
      for (const seconds of jumps) {
        const playing = historyOf(all);
        for (let at = 0; at < seconds; at += 7) playing.stateAt(at);
        expect(copyAt(jumping, seconds)).toEqual(copyAt(playing, seconds));
        expect(copyAt(jumping, seconds)).toEqual(copyAt(historyOf(all.filter(({ at }) => at <= seconds)), Infinity));
      }
    }),
    { numRuns: samples(60) },
  );
});

test('frames that arrive while the past is shown change only the present', () => {
  const history = historyOf([{ at: 1, nodes: [aNode('a')] }]);
  const before = copyAt(history, 1);
  history.add([{ at: 2, nodes: [{ id: 'a', state: 'leaving', why: 'empty' }] }]);
  expect(copyAt(history, 1)).toEqual(before);
  expect(history.stateAt(2).nodes.get('a')).toEqual(aNode('a', { state: 'leaving', why: 'empty' }));
  history.add([{ at: 3, gone: ['a'] }]);
  expect(history.stateAt(3).nodes.size).toBe(0);
  expect(copyAt(history, 1)).toEqual(before);
});

test('steps go from frame to frame, and end at the first and the last one', () => {
  const history = historyOf([{ at: 1 }, { at: 4 }, { at: 9 }]);
  expect([0, 1, 5, 9].map((at) => history.next(at))).toEqual([1, 4, 9, undefined]);
  expect([0, 1, 4, 5, 10].map((at) => history.previous(at))).toEqual([undefined, undefined, 1, 4, 9]);
});

test('the peak is the first time with the most nodes', () => {
  const history = historyOf([...manyFrames(30), { at: 100, gone: ['node-0'] }]);
  expect(history.peak()).toEqual({ nodes: 30, at: 30 });
  expect(history.end()).toBe(100);
});
