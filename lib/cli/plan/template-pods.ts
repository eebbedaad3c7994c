import { quote } from '../../apis/formats/quote.ts';
import type { OwnerReference, Pod } from '../../apis/kubernetes.ts';
import { fieldOf, isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import { fingerprint } from '../../core/identity.ts';
import type { Report } from '../../manifests/explain/problem.ts';
import { readObject } from '../../manifests/read/read-object.ts';

/** A workload and its pods. */
export interface PodsOfTemplate {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  /** The pod without a name; replicas have different names. */
  readonly pod: Pod;
}

/** The kinds, and the field with the number of pods. */
const COUNT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['StatefulSet', 'replicas'],
  ['ReplicaSet', 'replicas'],
  ['Job', 'parallelism'],
]);

export function isTemplateKind(kind: string | undefined): boolean {
  return kind !== undefined && COUNT_FIELDS.has(kind);
}

/** The pods of a workload, validated by the rules of Kubernetes. *Shape:* undefined if problems were reported. */
export function podsOfTemplate(workload: UnknownRecord, report: Report): PodsOfTemplate | undefined {
  const kind = textField(workload, 'kind') ?? '';
  const metadata = fieldOf(workload, 'metadata');
  const [spec, name] = [fieldOf(workload, 'spec'), textField(metadata, 'name')];
  if (name === undefined) return report(['metadata', 'name'], 'is missing', 'a name'), undefined;
  const template = ownField(spec, 'template');
  if (!isRecord(spec) || !isRecord(template)) {
    report(['spec', 'template'], 'is missing', 'the template of its pods');
    return undefined;
  }
  const replicas = replicasOf(kind, spec, report);
  const namespace = textField(metadata, 'namespace') ?? 'default';
  const read = readObject('Pod', podObject(template, spec, { name, namespace }), (path, ...fault) =>
    report(['spec', 'template', ...path], ...fault),
  );
  if (read?.kind !== 'Pod' || replicas === undefined) return undefined;
  return { kind, namespace, name, replicas, pod: read.object };
}

function replicasOf(kind: string, spec: UnknownRecord, report: Report): number | undefined {
  const field = COUNT_FIELDS.get(kind) ?? 'replicas';
  const count = fieldOf(spec, field) ?? 1;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) {
    const completions = fieldOf(spec, 'completions');
    return kind === 'Job' && typeof completions === 'number' ? Math.min(count, completions) : count;
  }
  report(['spec', field], `${quote(count)} is not allowed`, 'a whole number of zero or more');
  return undefined;
}

function podObject(
  template: UnknownRecord,
  workload: UnknownRecord,
  names: { readonly name: string; readonly namespace: string },
): UnknownRecord {
  const metadata = fieldOf(template, 'metadata');
  const spec = fieldOf(template, 'spec');
  const own = isRecord(metadata) ? metadata : {};
  const whole = isRecord(spec) ? { ...spec, ...ownVolumes(spec, workload) } : spec;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...own, ...names }, spec: whole };
}

/** B11: the volumes of volumeClaimTemplates are added to the volumes of the pod. */
function ownVolumes(spec: UnknownRecord, workload: UnknownRecord): UnknownRecord {
  const [templates, volumes] = [fieldOf(workload, 'volumeClaimTemplates'), fieldOf(spec, 'volumes')];
  if (!Array.isArray(templates)) return {};
  const made = templates.filter(isRecord).map((template) => ({
    name: textField(fieldOf(template, 'metadata'), 'name'),
    ephemeral: { volumeClaimTemplate: { spec: fieldOf(template, 'spec') } },
  }));
  const given: readonly unknown[] = Array.isArray(volumes) ? volumes : [];
  return { volumes: [...given, ...made] };
}

/** One pod for each replica, owned by the workload. */
export function replicaPods({ kind, namespace, name, replicas, pod }: PodsOfTemplate): readonly Pod[] {
  const isDeployment = kind === 'Deployment';
  const revision = isDeployment ? `${name}-${fingerprint(JSON.stringify(pod), 8)}` : name;
  const owner: OwnerReference = {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: isDeployment ? 'ReplicaSet' : kind,
    name: revision,
    uid: fingerprint(`${kind}/${namespace}/${revision}`),
    controller: true,
  };
  const { uid: _, ...metadata } = pod.metadata;
  return Array.from({ length: replicas }, (_pod, index) => ({
    ...pod,
    metadata: { ...metadata, namespace, name: `${revision}-${index}`, ownerReferences: [owner] },
  }));
}
