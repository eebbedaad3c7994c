import { parseDuration } from '../../apis/formats/duration.ts';
import { isTimeZone } from '../../apis/formats/job-schedule.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import { BUDGET_TIME_ZONE, GRACEFUL_EXPIRATION } from '../../apis/labels.ts';
import type { NodeClassReference, NodePool } from '../../apis/node-pool.ts';
import { annotationProblems } from '../../core/validation/annotations.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { budgetAdvice } from './budgets.ts';
import { askedByNodePool, leftOutAdvice, otherLabels } from './left-out.ts';
import { limitAdvice, unknownLimits } from './limits.ts';
import { requirementAdvice } from './requirements.ts';
import type { Asked } from './values/asked.ts';
import type { KnownFigures } from './values/known-figures.ts';
import { longName } from './values/label-names.ts';
import type { KnownTypeIndex, TypeSet } from './values/type-index.ts';

const TEMPLATE = ['spec', 'template'] as const;
const NEVER = 'so the pool can never launch a node';
/** An instance needs some minutes to join. A node with a shorter lifetime is of no use. */
const SHORTEST_LIFE_MS = 10 * MINUTE_MS;

/** Warns of settings in a valid NodePool that are probably unintended. */
export function nodePoolAdvice(nodePool: NodePool, figures: KnownFigures): readonly FieldProblem[] {
  const { metadata, spec } = nodePool;
  const { nodeClassRef, expireAfter } = spec.template.spec;
  const foreign = foreignClass(nodeClassRef);
  if (foreign !== undefined) return [foreign];
  const asked = askedByNodePool(nodePool);
  const { problems, types } = requirementAdvice(asked, figures, NEVER);
  const limited = spec.limits !== undefined && types !== undefined;
  return [
    ...longName(metadata, 'karpenter.sh/nodepool'),
    ...problems,
    ...otherLabels(asked),
    ...leftOutAdvice(asked),
    ...unknownLimits(spec.limits, figures.suggest),
    ...(types === undefined ? [] : minValuesAdvice(asked, figures.types, types)),
    ...limitAdvice(spec.limits, limited ? figures.types.capacitiesOf(types) : undefined),
    ...shortLife(expireAfter),
    ...budgetAdvice(spec.disruption.budgets),
    ...annotationProblems(nodePool),
    ...timeZoneAdvice(nodePool),
    ...graceAdvice(nodePool),
  ];
}

/** A1.30: another controller manages this pool, so nothing else in it is checked. */
function foreignClass({ group, kind, name }: NodeClassReference): FieldProblem | undefined {
  if (group === 'karpenter.k8s.aws' && kind === 'EC2NodeClass') return undefined;
  const owner = group === 'eks.amazonaws.com' ? ', which belongs to EKS Auto Mode' : '';
  return {
    path: [...TEMPLATE, 'spec', 'nodeClassRef'],
    message: `references ${kind} ${name} of ${group}${owner}: the pool is ignored, because Kerf manages only NodePools that reference EC2NodeClasses`,
    allowed: 'group: karpenter.k8s.aws and kind: EC2NodeClass if Kerf should manage it',
  };
}

function shortLife(expireAfter: string): readonly FieldProblem[] {
  const lifeMs = parseDuration(expireAfter);
  if (lifeMs === undefined || lifeMs >= SHORTEST_LIFE_MS) return [];
  return [
    {
      path: [...TEMPLATE, 'spec', 'expireAfter'],
      message: `replaces every node ${expireAfter} after its creation, which is about the time that it needs to become ready`,
      allowed: 'hours or days, such as 720h, or Never',
    },
  ];
}

/** E8: warns of a time zone without a schedule. */
function timeZoneAdvice({ metadata, spec }: NodePool): readonly FieldProblem[] {
  const timeZone = metadata.annotations?.[BUDGET_TIME_ZONE];
  const isUsed = spec.disruption.budgets.some(({ schedule }) => schedule !== undefined);
  if (timeZone === undefined || !isTimeZone(timeZone) || isUsed) return [];
  const path = ['metadata', 'annotations', BUDGET_TIME_ZONE];
  const message = 'has no effect, because no budget of the NodePool has a schedule';
  return [{ path, message, allowed: 'a budget with schedule and duration, or remove the annotation' }];
}

/** D14: warns of a grace period for nodes that do not expire. */
function graceAdvice({ metadata, spec }: NodePool): readonly FieldProblem[] {
  if (metadata.annotations?.[GRACEFUL_EXPIRATION] === undefined || spec.template.spec.expireAfter !== 'Never')
    return [];
  const path = ['metadata', 'annotations', GRACEFUL_EXPIRATION];
  const message = 'has no effect, because the nodes of the NodePool do not expire';
  return [{ path, message, allowed: 'a duration in spec.template.spec.expireAfter, or remove the annotation' }];
}

/** B24: warns of a minValues that the instance types cannot meet. */
function minValuesAdvice(asked: readonly Asked[], types: KnownTypeIndex, meeting: TypeSet): readonly FieldProblem[] {
  return asked.flatMap(({ key, path, minValues }) => {
    if (minValues === undefined || !types.has(key)) return [];
    const count = types.valuesAmong(key, meeting).length;
    if (count >= minValues) return [];
    const message = `requires ${minValues} values of ${key}, but the instance types that meet the requirements have ${count}, so the pool can never launch a node`;
    return [{ path: [...path, 'minValues'], message, allowed: `at most ${count}, or wider requirements` }];
  });
}
