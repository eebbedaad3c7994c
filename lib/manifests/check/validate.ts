import { Ajv, type ValidateFunction } from 'ajv';
import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { ScenarioManifest } from '../../apis/generated/scenario-manifest.ts';
import type {
  DaemonSet,
  Deployment,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  RuntimeClass,
} from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { HORIZONTAL_POD_AUTOSCALER } from '../../apis/schemas/autoscaling.ts';
import { CRON_JOB, JOB } from '../../apis/schemas/batch.ts';
import { CAPACITY_BUFFER_RESOURCE } from '../../apis/schemas/capacity-buffer.ts';
import { manifestSchema } from '../../apis/schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from '../../apis/schemas/ec2-node-class.ts';
import { LIMIT_RANGE } from '../../apis/schemas/limit-range.ts';
import { NAMESPACE } from '../../apis/schemas/namespace.ts';
import { NODE_CLAIM_RESOURCE } from '../../apis/schemas/node-claim.ts';
import { NODE_OVERLAY_RESOURCE } from '../../apis/schemas/node-overlay.ts';
import { NODE_POOL_RESOURCE } from '../../apis/schemas/node-pool.ts';
import { POD_DISRUPTION_BUDGET } from '../../apis/schemas/pod-disruption-budget.ts';
import { PRIORITY_CLASS } from '../../apis/schemas/priority-class.ts';
import { RUNTIME_CLASS } from '../../apis/schemas/runtime-class.ts';
import { SCENARIO } from '../../apis/schemas/scenario.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS } from '../../apis/schemas/storage.ts';
import {
  DAEMON_SET,
  DEPLOYMENT,
  POD_SCHEMA,
  POD_TEMPLATE,
  REPLICA_SET,
  STATEFUL_SET,
} from '../../apis/schemas/workloads.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../apis/storage.ts';
import type { CronJob, HorizontalPodAutoscaler, Job, ReplicaSet, StatefulSet } from '../../apis/workloads.ts';
import { explain } from '../explain/explain.ts';
import type { Explanation, Path, Report } from '../explain/problem.ts';
import type { ReadKind } from '../read/classify.ts';
import { AJV_OPTIONS } from './ajv-options.ts';
import { checkRules } from './check-rules.ts';
import { FORMAT_CHECKS, isDateTime } from './format-checks.ts';

/** The type of a valid object of each kind. */
export interface ReadObjects {
  readonly NodePool: NodePool;
  readonly NodeClaim: NodeClaim;
  readonly NodeOverlay: NodeOverlay;
  readonly EC2NodeClass: EC2NodeClass;
  readonly CapacityBuffer: CapacityBuffer;
  readonly Deployment: Deployment;
  readonly DaemonSet: DaemonSet;
  readonly ReplicaSet: ReplicaSet;
  readonly StatefulSet: StatefulSet;
  readonly Job: Job;
  readonly CronJob: CronJob;
  readonly HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  readonly Pod: Pod;
  readonly PodTemplate: NamedPodTemplate;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly StorageClass: StorageClass;
  readonly PriorityClass: PriorityClass;
  readonly LimitRange: LimitRange;
  readonly RuntimeClass: RuntimeClass;
  readonly Namespace: Namespace;
  readonly Scenario: ScenarioManifest;
}

export const SCHEMAS: Readonly<Record<ReadKind, Schema>> = {
  NodePool: manifestSchema(NODE_POOL_RESOURCE),
  NodeClaim: manifestSchema(NODE_CLAIM_RESOURCE),
  NodeOverlay: manifestSchema(NODE_OVERLAY_RESOURCE),
  EC2NodeClass: manifestSchema(EC2_NODE_CLASS),
  CapacityBuffer: manifestSchema(CAPACITY_BUFFER_RESOURCE),
  Deployment: DEPLOYMENT,
  DaemonSet: DAEMON_SET,
  ReplicaSet: REPLICA_SET,
  StatefulSet: STATEFUL_SET,
  Job: JOB,
  CronJob: CRON_JOB,
  HorizontalPodAutoscaler: HORIZONTAL_POD_AUTOSCALER,
  Pod: POD_SCHEMA,
  PodTemplate: POD_TEMPLATE,
  PodDisruptionBudget: POD_DISRUPTION_BUDGET,
  PersistentVolume: PERSISTENT_VOLUME,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIM,
  StorageClass: STORAGE_CLASS,
  PriorityClass: PRIORITY_CLASS,
  LimitRange: LIMIT_RANGE,
  RuntimeClass: RUNTIME_CLASS,
  Namespace: NAMESPACE,
  Scenario: SCENARIO,
};

const ajv = new Ajv(AJV_OPTIONS);
for (const [name, check] of FORMAT_CHECKS) ajv.addFormat(name, check);
ajv.addFormat('int32', { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 });
ajv.addFormat('int64', { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 63 });
ajv.addFormat('date-time', isDateTime);

/** Compiling takes most of the time of a small run, so a schema is compiled when the first object of its kind is read. */
const compiled = new Map<ReadKind, ValidateFunction>();

/**
 * Tests whether the API server would accept the object, by its schema and CEL rules. Reports at most one error per field.
 * A CEL rule is evaluated only where every field that it involves is well-formed. Unknown fields are reported but do not
 * make an object invalid: the server drops them.
 */
export function isValid<K extends ReadKind>(kind: K, value: unknown, report: Report): value is ReadObjects[K] {
  const validate = compiled.get(kind) ?? ajv.compile(SCHEMAS[kind]);
  compiled.set(kind, validate);
  const seen = new Set<string>();
  const errors: Path[] = [];
  const once: Report = (path, message, advice) => {
    const field = JSON.stringify(path);
    if (seen.has(field)) return;
    seen.add(field);
    errors.push(path);
    report(path, message, advice);
  };
  const explanations = validate(value)
    ? []
    : // Limits the errors of an object that is invalid throughout.
      (validate.errors ?? [])
        .slice(0, MAX_FAULTS)
        .flatMap((error) => explain(error, { value, schema: SCHEMAS[kind] }) ?? []);
  const unknownFields = explanations
    .filter(({ unknown }) => unknown)
    .map((found) => ({ found, follows: new Set<string>() }));
  const reportUnlessCaused: Report = (path, message, advice) => {
    const cause = unknownFields.find(({ found }) => isCause(found, path));
    cause?.follows.add(`${path.at(-1) === cause.found.meant ? cause.found.meant : 'the rest'} ${message}`);
    if (cause === undefined) once(path, message, advice);
    else errors.push(path);
  };
  for (const { path, message, unknown, ...advice } of explanations) {
    if (!unknown) (message === 'is missing' ? reportUnlessCaused : once)(path, message, advice);
  }
  const malformed = [...errors];
  if (errors.length < MAX_FAULTS) checkRules(value, SCHEMAS[kind], { malformed, report: reportUnlessCaused });
  for (const { found, follows } of unknownFields) report(found.path, unknownFieldMessage(found, [...follows]), found);
  return errors.length === 0;
}

/**
 * True for an error that follows from a misspelt field, so that one mistake gives one finding: the intended field is
 * missing, or the object that contains it breaks a rule.
 */
function isCause({ path, meant }: Explanation, fault: Path): boolean {
  const around = path.slice(0, -1);
  const left = fault.slice(around.length);
  if (left.length > 1 || (left.length === 1 && left[0] !== meant)) return false;
  return around.every((step, index) => step === fault[index]);
}

function unknownFieldMessage({ message }: Explanation, [first, ...more]: readonly string[]): string {
  if (first === undefined) return message;
  const [, hint] = message.split('; ');
  return `is not a field, and ${[first, ...more].join(', and ')}${hint === undefined ? '' : `; ${hint}`}`;
}

const MAX_FAULTS = 100;
