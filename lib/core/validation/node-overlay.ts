import type { NodeOverlay } from '../../apis/node-overlay.ts';
import { amountProblems } from './decoding.ts';
import { type FieldProblem, under } from './field-problem.ts';
import { requirementProblems } from './requirements.ts';

/** A4.4: resources that EC2 defines for an instance type. The schema rejects the first four. */
const OF_THE_INSTANCE_TYPE: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'pods',
  'vpc.amazonaws.com/pod-eni',
  'vpc.amazonaws.com/efa',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
]);

/** A4.1: why Karpenter's validation rejects a NodeOverlay that the API server has accepted. The overlay then has no effect. */
export function nodeOverlayProblems({ spec }: NodeOverlay): readonly FieldProblem[] {
  return [
    ...amountProblems(spec.capacity, ['spec', 'capacity']),
    ...under(['spec', 'requirements'], requirementProblems(spec.requirements)),
    ...Object.keys(spec.capacity ?? {})
      .filter((name) => OF_THE_INSTANCE_TYPE.has(name))
      .map((name) => ({
        path: ['spec', 'capacity', name],
        message: 'is defined by EC2 and cannot be changed',
        allowed: 'extended resources that the instance type does not have, such as example.com/licence',
      })),
  ];
}
