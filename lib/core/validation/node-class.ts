import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { quote } from '../../apis/formats/quote.ts';
import { type FieldProblem, under } from './field-problem.ts';
import { kubeletProblems } from './kubelet.ts';
import { kubeletExpressionProblems } from './kubelet-expressions.ts';
import { unsupportedKubeletFields } from './kubelet-support.ts';

/** A3.15 to A3.18: why Karpenter sets an EC2NodeClass that the API server has accepted to not ready. */
export function nodeClassProblems(nodeClass: EC2NodeClass): readonly FieldProblem[] {
  const { kubelet = {}, amiSelectorTerms } = nodeClass.spec;
  return [
    ...under(
      ['spec', 'kubelet'],
      [
        ...kubeletProblems(kubelet),
        ...kubeletExpressionProblems(kubelet),
        ...unsupportedKubeletFields(kubelet, amiFamilyOf(nodeClass)),
      ],
    ),
    ...amiSelectorTerms.flatMap(({ alias }, index) =>
      aliasProblems(alias, ['spec', 'amiSelectorTerms', index, 'alias']),
    ),
  ];
}

/** A3.5: Karpenter fails on a second @, which the API server accepts. */
function aliasProblems(alias: string | undefined, path: FieldProblem['path']): readonly FieldProblem[] {
  if (alias === undefined || alias.split('@').length === 2) return [];
  return [{ path, message: `${quote(alias)} is not family@version`, allowed: 'one @, as in al2023@latest' }];
}
