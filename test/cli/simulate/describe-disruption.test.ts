import { describe, expect, test } from 'vitest';
import { describeDisruption } from '../../../lib/cli/simulate/describe-disruption.ts';
import { describeEntry } from '../../../lib/cli/simulate/describe-entry.ts';
import type { DisruptionCommand } from '../../../lib/core/model/disruption-command.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';

function aReplacement(
  priceUsdPerHour: number,
  ...instanceTypes: readonly string[]
): DisruptionCommand['replacements'][number] {
  return { nodePool: 'general', instanceTypes, priceUsdPerHour };
}

const one = candidatesNamed('a.ec2.internal');
const two = candidatesNamed('a', 'b');

describe('a disruption command in the timeline', () => {
  test.each<readonly [string, Parameters<typeof aCommand>[0], string]>([
    ['an empty node', { candidates: one }, 'Empty: node a (m5.large), saves $0.1000/h'],
    [
      'underutilized nodes',
      { reason: 'Underutilized', candidates: two },
      'Underutilized: nodes a (m5.large), b (m5.large) deleted, because other nodes have room for the pods, saves $0.2000/h',
    ],
    [
      'nodes that are replaced by one',
      {
        reason: 'Underutilized',
        candidates: two,
        replacements: [aReplacement(0.05, 'c6g.large', 'm6g.large', 't3.large')],
      },
      'Underutilized: nodes a (m5.large), b (m5.large) replaced by 1 node (c6g.large or 2 other types), saves $0.1500/h',
    ],
    [
      'a node that can only be replaced by one type',
      { reason: 'Underutilized', candidates: one, replacements: [aReplacement(0.05, 'c6g.large')] },
      'Underutilized: node a (m5.large) replaced by 1 node (c6g.large), saves $0.0500/h',
    ],
    [
      'a drifted node',
      { reason: 'Drifted', candidates: one, replacements: [aReplacement(0.1, 'm5.large')] },
      'Drifted: node a (m5.large) replaced by 1 node (m5.large), at the same cost',
    ],
    [
      'a drifted node whose replacements cost more',
      {
        reason: 'Drifted',
        candidates: one,
        replacements: [aReplacement(0.1, 'm5.large'), aReplacement(0.2, 'm5.xlarge')],
      },
      'Drifted: node a (m5.large) replaced by 2 nodes, costs $0.2000/h more',
    ],
    [
      'many nodes',
      { candidates: candidatesNamed('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h') },
      'Empty: nodes a (m5.large), b (m5.large), c (m5.large), d (m5.large), e (m5.large), f (m5.large) and 2 more, saves $0.8000/h',
    ],
  ])('%s', (_what, command, text) => {
    expect(describeDisruption(aCommand(command))).toBe(text);
  });

  test('is validated before it is carried out, most of them after 15 s', () => {
    const entry = { at: 0, controller: 'disruption', decision: 'd', kind: 'start-disruption' } as const;
    const described = (waitMs: number) =>
      describeEntry({ ...entry, command: aCommand({ candidates: one, decidedAtMs: 0, validateAtMs: waitMs }) });
    const text = 'Empty: node a (m5.large), saves $0.1000/h';
    expect(described(15_000)).toEqual([{ label: 'decide', text: `${text}; validated again in 15s`, style: 'bold' }]);
    expect(described(0)).toEqual([{ label: 'decide', text, style: 'bold' }]);
  });
});
