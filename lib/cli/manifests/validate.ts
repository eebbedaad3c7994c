import { Ajv, type ValidateFunction } from 'ajv';
import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { DaemonSet, Deployment, NamedPodTemplate, Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { ScenarioManifest } from '../../apis/scenario.ts';
import { CAPACITY_BUFFER } from '../../apis/schemas/capacity-buffer.ts';
import { manifestSchema } from '../../apis/schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from '../../apis/schemas/ec2-node-class.ts';
import { NODE_CLAIM } from '../../apis/schemas/node-claim.ts';
import { NODE_OVERLAY } from '../../apis/schemas/node-overlay.ts';
import { NODE_POOL } from '../../apis/schemas/node-pool.ts';
import { POD_DISRUPTION_BUDGET } from '../../apis/schemas/pod-disruption-budget.ts';
import { SCENARIO } from '../../apis/schemas/scenario.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { DAEMON_SET, DEPLOYMENT, POD, POD_TEMPLATE } from '../../apis/schemas/workloads.ts';
import { AJV_OPTIONS } from './ajv-options.ts';
import { checkRules } from './check-rules.ts';
import type { ReadKind } from './classify.ts';
import { explain } from './explain.ts';
import { FORMAT_CHECKS, isDateTime } from './format-checks.ts';
import type { Explanation, Path, Report } from './problem.ts';

/** The type of a valid object of each kind. */
export interface ReadObjects {
  readonly NodePool: NodePool;
  readonly NodeClaim: NodeClaim;
  readonly NodeOverlay: NodeOverlay;
  readonly EC2NodeClass: EC2NodeClass;
  readonly CapacityBuffer: CapacityBuffer;
  readonly Deployment: Deployment;
  readonly DaemonSet: DaemonSet;
  readonly Pod: Pod;
  readonly PodTemplate: NamedPodTemplate;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly Scenario: ScenarioManifest;
}

export const SCHEMAS: Readonly<Record<ReadKind, Schema>> = {
  NodePool: manifestSchema(NODE_POOL),
  NodeClaim: manifestSchema(NODE_CLAIM),
  NodeOverlay: manifestSchema(NODE_OVERLAY),
  EC2NodeClass: manifestSchema(EC2_NODE_CLASS),
  CapacityBuffer: manifestSchema(CAPACITY_BUFFER),
  Deployment: DEPLOYMENT,
  DaemonSet: DAEMON_SET,
  Pod: POD,
  PodTemplate: POD_TEMPLATE,
  PodDisruptionBudget: POD_DISRUPTION_BUDGET,
  Scenario: SCENARIO,
};

const ajv = new Ajv(AJV_OPTIONS);
for (const [name, check] of FORMAT_CHECKS) ajv.addFormat(name, check);
ajv.addFormat('int32', { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 });
ajv.addFormat('int64', { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 63 });
ajv.addFormat('date-time', isDateTime);

/** Compiling takes most of the time of a small run, so each kind waits until a file has one. */
const compiled = new Map<ReadKind, ValidateFunction>();

/**
 * True where the API server would accept the object: form and CEL rules; every fault is reported, one a field. A rule is
 * asked only where the form of all that it looks at is right. Unknown fields are reported and do not count: the server
 * drops them.
 */
export function isValid<K extends ReadKind>(kind: K, value: unknown, report: Report): value is ReadObjects[K] {
  const validate = compiled.get(kind) ?? ajv.compile(SCHEMAS[kind]);
  compiled.set(kind, validate);
  const seen = new Set<string>();
  const faults: Path[] = [];
  const once: Report = (path, message, advice) => {
    const field = JSON.stringify(path);
    if (seen.has(field)) return;
    seen.add(field);
    faults.push(path);
    report(path, message, advice);
  };
  const explanations = validate(value)
    ? []
    : // An object that is wrong throughout is not worth more.
      (validate.errors ?? [])
        .slice(0, MOST_FAULTS)
        .flatMap((error) => explain(error, { value, schema: SCHEMAS[kind] }) ?? []);
  const strangers = explanations
    .filter(({ unknown }) => unknown)
    .map((found) => ({ found, follows: new Set<string>() }));
  const told: Report = (path, message, advice) => {
    const cause = strangers.find(({ found }) => isCause(found, path));
    cause?.follows.add(`${path.at(-1) === cause.found.meant ? cause.found.meant : 'the rest'} ${message}`);
    if (cause === undefined) once(path, message, advice);
    else faults.push(path);
  };
  for (const { path, message, unknown, ...advice } of explanations) {
    if (!unknown) (message === 'is missing' ? told : once)(path, message, advice);
  }
  const malformed = [...faults];
  if (faults.length < MOST_FAULTS) checkRules(value, SCHEMAS[kind], { malformed, report: told });
  for (const { found, follows } of strangers) report(found.path, strangerMessage(found, [...follows]), found);
  return faults.length === 0;
}

/**
 * True for a fault that a misspelt field brings about, so that one slip is one finding: the field that it was meant to be
 * is missing, or a rule finds the object around it wanting.
 */
function isCause({ path, meant }: Explanation, fault: Path): boolean {
  const around = path.slice(0, -1);
  const left = fault.slice(around.length);
  if (left.length > 1 || (left.length === 1 && left[0] !== meant)) return false;
  return around.every((step, index) => step === fault[index]);
}

function strangerMessage({ message }: Explanation, [first, ...more]: readonly string[]): string {
  if (first === undefined) return message;
  const [, hint] = message.split('; ');
  return `is no field, and ${[first, ...more].join(', and ')}${hint === undefined ? '' : `; ${hint}`}`;
}

const MOST_FAULTS = 100;
