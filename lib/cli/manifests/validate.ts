import { Ajv, type ValidateFunction } from 'ajv';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { DaemonSet, Deployment, Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { ScenarioManifest } from '../../apis/scenario.ts';
import { EC2_NODE_CLASS } from '../../apis/schemas/ec2-node-class.ts';
import { NODE_POOL } from '../../apis/schemas/node-pool.ts';
import { POD_DISRUPTION_BUDGET } from '../../apis/schemas/pod-disruption-budget.ts';
import { SCENARIO } from '../../apis/schemas/scenario.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { DAEMON_SET, DEPLOYMENT, POD } from '../../apis/schemas/workloads.ts';
import type { ReadKind } from './classify.ts';
import { explain } from './explain.ts';
import { FORMAT_CHECKS } from './format-checks.ts';
import { formatPath, type Report } from './problem.ts';

/** The type of a valid object of each kind. */
export interface ReadObjects {
  readonly NodePool: NodePool;
  readonly EC2NodeClass: EC2NodeClass;
  readonly Deployment: Deployment;
  readonly DaemonSet: DaemonSet;
  readonly Pod: Pod;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly Scenario: ScenarioManifest;
}

export const SCHEMAS: Readonly<Record<ReadKind, Schema>> = {
  NodePool: NODE_POOL,
  EC2NodeClass: EC2_NODE_CLASS,
  Deployment: DEPLOYMENT,
  DaemonSet: DAEMON_SET,
  Pod: POD,
  PodDisruptionBudget: POD_DISRUPTION_BUDGET,
  Scenario: SCENARIO,
};

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  validateSchema: false,
  logger: false,
  messages: false,
  // Nearly half of the time that compiling takes, for code that runs once or a few thousand times.
  code: { optimize: false },
});
for (const [name, check] of FORMAT_CHECKS) ajv.addFormat(name, check);

/** Compiling takes most of the time of a small run, so each kind waits until a file has one. */
const compiled = new Map<ReadKind, ValidateFunction>();

/** True where the object keeps its schema; else every fault is reported, one a field. */
export function isValid<K extends ReadKind>(kind: K, value: unknown, report: Report): value is ReadObjects[K] {
  const validate = compiled.get(kind) ?? ajv.compile(SCHEMAS[kind]);
  compiled.set(kind, validate);
  if (validate(value)) return true;
  const seen = new Set<string>();
  for (const error of validate.errors ?? []) {
    const explanation = explain(error, { value, schema: SCHEMAS[kind] });
    if (explanation === undefined || seen.has(formatPath(explanation.path))) continue;
    seen.add(formatPath(explanation.path));
    report(explanation.path, explanation.message, explanation.allowed);
  }
  return false;
}
