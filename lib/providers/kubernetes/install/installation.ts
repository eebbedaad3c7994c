import type { CustomResourceDefinition } from '../../../apis/custom-resource-definition.ts';
import type { Taint } from '../../../apis/kubernetes.ts';
import { EXCLUDE_FROM_BALANCERS, NODE_CLASS_FINALIZER, TERMINATION_FINALIZER } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { DISRUPTED_TAINT, UNDERUTILIZED_TAINT, UNREGISTERED_TAINT } from '../../../apis/taints.ts';
import type { FoundDefinition } from '../../../core/install/definitions.ts';
import { type ClusterRoleBinding, INSTALLED_LABELS, rbacObjects } from '../../../core/install/rbac.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ConflictError } from '../../../ports/errors.ts';
import type { HeldKind, HeldObject, Installation, InstalledObject } from '../../../ports/installation.ts';
import type { ApiClient } from '../client/api-client.ts';
import { type ApiResponse, kubernetesPortError, messageOf } from '../client/errors.ts';
import { listAll } from '../client/lists.ts';
import { objectPath } from '../client/object-path.ts';
import { each, fieldsOf, type RawObject } from '../project/project.ts';
import { AutoscalerTraceReader } from './autoscaler-traces.ts';
import { readClaim, releaseClaim } from './cluster-claim.ts';
import { applyWebhookConfiguration } from './webhook-registration.ts';

const APPLY = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'kerf', force: 'true' } } as const;
const MERGE = { contentType: 'application/merge-patch+json', query: { fieldManager: 'kerf' } } as const;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const STANDING_DOWN = 'kerf.dev/standing-down-since';
const INSTALLED_BY = 'kerf.dev/installed-by';
const TRIES = 5;

const COLLECTIONS: Readonly<Record<InstalledObject['kind'], string>> = {
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};

const HELD: Readonly<Record<HeldKind, { readonly path: string; readonly finalizer: string }>> = {
  Node: { path: '/api/v1/nodes', finalizer: TERMINATION_FINALIZER },
  NodeClaim: { path: '/apis/karpenter.sh/v1/nodeclaims', finalizer: TERMINATION_FINALIZER },
  EC2NodeClass: { path: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses', finalizer: NODE_CLASS_FINALIZER },
};

export interface InstallationOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** The unique name of the deployment. */
  readonly installedBy: string;
  /** The name of the deployment. */
  readonly deployment: string;
  /** The namespaces in which Karpenter may run. @default `KARPENTER_NAMESPACES` */
  readonly karpenterNamespaces?: readonly string[];
}

/** Installs Kerf in the cluster of the client, as field manager `kerf`. */
export function kubernetesInstallation(options: InstallationOptions): Installation {
  const { client, clock, installedBy, deployment, karpenterNamespaces: namespaces } = options;
  const otherAutoscalers = new AutoscalerTraceReader({ client, clock, deployment, ...optional({ namespaces }) });
  return {
    whyNoRights: async () => await whyNoRights(client),
    findDefinition: async (name) => {
      const found = await find(client, objectPath(DEFINITIONS, name));
      return found === undefined ? undefined : definitionOf(found);
    },
    applyDefinition: async (definition, instead) => await applyDefinition(client, definition, instead),
    whyNotEstablished: async (name) => await whyNotEstablished(client, name),
    apply: async (object) => await applyObject(client, object, installedBy),
    isTakenOver: async () => await isTakenOver(client, installedBy),
    remove: async (object) => await remove(client, object),
    listHeld: async (kind) => await listHeld(client, kind),
    letGo: async (object, how) => await letGo(client, object, how),
    findOtherAutoscalers: async () => await otherAutoscalers.read(),
    listAutoModePools: async () => await otherAutoscalers.readAutoModePools(),
    readClaim: async () => await readClaim(client, deployment),
    claimCluster: async () => await otherAutoscalers.claim(),
    releaseClaim: async () => await releaseClaim(client, deployment),
    revokeDeciding: async (bindings, nowMs) => await revokeDeciding(client, bindings, nowMs),
  };
}

/** A cluster older than 1.30 answers that it does not have the path of an admission policy. */
async function applyObject(
  client: ApiClient,
  object: InstalledObject,
  installedBy: string,
): Promise<'applied' | 'unsupported'> {
  if (object.kind === 'ValidatingWebhookConfiguration') {
    await applyWebhookConfiguration(client, object);
    return 'applied';
  }
  const path = pathOf(object);
  const answer = await client.send({ method: 'PATCH', path, body: marked(object, installedBy), ...APPLY });
  if (answer.status === 404 && object.kind.startsWith('ValidatingAdmissionPolicy')) return 'unsupported';
  if (answer.status >= 300) throw kubernetesPortError(answer, `apply ${path}`);
  return 'applied';
}

function pathOf({ kind, metadata }: InstalledObject): string {
  return objectPath(COLLECTIONS[kind], metadata.name);
}

/** *Shape:* undefined where the object does not exist. */
async function find(client: ApiClient, path: string): Promise<RawObject | undefined> {
  const answer = await client.send({ method: 'GET', path });
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw kubernetesPortError(answer, `read ${path}`);
  return fieldsOf(answer.body);
}

/** Marks roles with the deployment that created them. The webhook configuration is not marked, because lifecycle also writes it. */
function marked(object: InstalledObject, installedBy: string): InstalledObject {
  if (object.kind !== 'ClusterRole') return object;
  return { ...object, metadata: { ...object.metadata, annotations: { [INSTALLED_BY]: installedBy } } };
}

async function isTakenOver(client: ApiClient, installedBy: string): Promise<boolean> {
  for (const object of rbacObjects().filter(({ kind }) => kind === 'ClusterRole')) {
    const found = await find(client, pathOf(object));
    const by = fieldsOf(fieldsOf(found?.['metadata'])['annotations'])[INSTALLED_BY];
    if (by !== undefined && by !== installedBy) return true;
  }
  return false;
}

/** RBAC requires that a user who grants rights has them. */
async function whyNoRights(client: ApiClient): Promise<string | undefined> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = await client.send({ method: 'POST', path, body });
  if (answer.status === 401 || answer.status === 403) return `${answer.status} ${messageOf(answer)}`;
  if (answer.status >= 300) throw kubernetesPortError(answer, 'ask for the rights of the installer');
  const { allowed } = fieldsOf(fieldsOf(answer.body)['status']);
  return allowed === true ? undefined : 'the installer has access, but not all permissions';
}

function definitionOf(raw: RawObject): FoundDefinition {
  const { versions, conversion } = fieldsOf(raw['spec']);
  const storedVersions = fieldsOf(raw['status'])['storedVersions'];
  return {
    storedVersions: Array.isArray(storedVersions) ? storedVersions.map(String) : [],
    convertedByWebhook: fieldsOf(conversion)['strategy'] === 'Webhook',
    schemas: Object.fromEntries(
      each(versions, (version) => version).map(({ name, schema }): readonly [string, unknown] => [
        String(name),
        fieldsOf(schema)['openAPIV3Schema'],
      ]),
    ),
  };
}

async function applyDefinition(
  client: ApiClient,
  definition: CustomResourceDefinition,
  instead: boolean,
): Promise<void> {
  const path = objectPath(DEFINITIONS, definition.metadata.name);
  if (instead) {
    // An apply cannot remove a field of another manager, and the server rejects a webhook together with `None`.
    const spec = { ...definition.spec, conversion: { strategy: 'None', webhook: null } };
    await client.expect({ method: 'PATCH', path, body: { spec }, ...MERGE });
  }
  await client.expect({ method: 'PATCH', path, body: definition, ...APPLY });
}

async function whyNotEstablished(client: ApiClient, name: string): Promise<string | undefined> {
  const found = await find(client, objectPath(DEFINITIONS, name));
  const conditions = each(fieldsOf(found?.['status'])['conditions'], (condition) => condition);
  const states = ['NamesAccepted', 'Established'].map((type) => conditions.find((one) => one['type'] === type));
  const bad = states.find((state) => state?.['status'] !== 'True');
  if (states.every((state) => state?.['status'] === 'True')) return undefined;
  const message = bad?.['message'];
  const why = typeof message === 'string' ? message : 'the API server has not processed it yet';
  return `CRD ${name} is not established: ${why}`;
}

/** Only objects with Kerf's label; the webhook configuration has a name that only Kerf uses. */
async function remove(client: ApiClient, object: InstalledObject): Promise<void> {
  const path = pathOf(object);
  if (object.kind !== 'ValidatingWebhookConfiguration') {
    const found = await find(client, path);
    const labels = fieldsOf(fieldsOf(found?.['metadata'])['labels']);
    if (!Object.entries(INSTALLED_LABELS).every(([key, value]) => labels[key] === value)) return;
  }
  const answer = await client.send({ method: 'DELETE', path });
  if (answer.status >= 300 && answer.status !== 404) throw kubernetesPortError(answer, `delete ${path}`);
}

async function listHeld(client: ApiClient, kind: HeldKind): Promise<readonly HeldObject[]> {
  const { path, finalizer } = HELD[kind];
  const project = (object: RawObject): HeldObject | undefined => {
    const { name, finalizers, deletionTimestamp } = fieldsOf(object['metadata']);
    const isHeld = Array.isArray(finalizers) && finalizers.includes(finalizer);
    const isUnregistered =
      !isHeld && kind === 'Node' && taintsOf(object).some(({ key }) => key === UNREGISTERED_TAINT.key);
    if (!isHeld && !isUnregistered) return undefined;
    const providerId = fieldsOf(object['spec'])['providerID'] ?? fieldsOf(object['status'])['providerID'];
    return {
      kind,
      name: String(name),
      ...(typeof providerId === 'string' && { providerId }),
      ...(deletionTimestamp !== undefined && { isDeleted: true }),
      ...(isUnregistered && { isUnregistered }),
    };
  };
  return await listAll(client, { path, project, optional: true });
}

async function letGo(
  client: ApiClient,
  { kind, name, isDeleted }: HeldObject,
  how: { readonly keepsFinalizer: boolean },
): Promise<'released' | 'kept'> {
  const { path: collection, finalizer } = HELD[kind];
  const path = objectPath(collection, name);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const found = await find(client, path);
    const { finalizers = [], resourceVersion, deletionTimestamp } = fieldsOf(found?.['metadata']);
    const present = Array.isArray(finalizers) ? finalizers.map(String) : [];
    const isDeletedSince = deletionTimestamp !== undefined && isDeleted !== true && kind !== 'EC2NodeClass';
    const isKept = present.includes(finalizer) && (how.keepsFinalizer || isDeletedSince);
    const outcome = isKept ? 'kept' : 'released';
    const others = present.filter((one) => isKept || one !== finalizer);
    const isFree = !how.keepsFinalizer && deletionTimestamp === undefined;
    const change = kind === 'Node' ? changeOfNode(found, isFree ? OUR_TAINTS : [UNDERUTILIZED_TAINT]) : undefined;
    if (others.length === present.length && change === undefined) return outcome;
    const metadata = { resourceVersion, finalizers: others, ...change?.metadata };
    const answer: ApiResponse = await client.send({ method: 'PATCH', path, body: { ...change, metadata }, ...MERGE });
    if (answer.status === 404) return 'released';
    if (answer.status < 300) return outcome;
    if (answer.status !== 409) throw kubernetesPortError(answer, `remove the finalizer from ${path}`);
  }
  throw new ConflictError(
    `Kubernetes API: ${path} is constantly changed by other clients; its finalizer was not removed`,
  );
}

/** Taints that only an autoscaler removes. */
const OUR_TAINTS: readonly Taint[] = [UNDERUTILIZED_TAINT, DISRUPTED_TAINT, UNREGISTERED_TAINT];

/** *Shape:* the change that removes these taints, and with the one of a disruption its label for load balancers; undefined without them. */
function changeOfNode(node: RawObject | undefined, removed: readonly Taint[]): NodeChange | undefined {
  const taints = taintsOf(node);
  const others = taints.filter(({ key }) => !removed.some((one) => one.key === key));
  if (others.length === taints.length) return undefined;
  const isCordoned = fieldsOf(fieldsOf(node?.['metadata'])['labels'])[EXCLUDE_FROM_BALANCERS] === 'karpenter';
  const isFreed = isCordoned && removed.includes(DISRUPTED_TAINT);
  return { spec: { taints: others }, ...(isFreed && { metadata: { labels: { [EXCLUDE_FROM_BALANCERS]: null } } }) };
}

interface NodeChange {
  readonly spec: { readonly taints: readonly RawObject[] };
  readonly metadata?: { readonly labels: Readonly<Record<string, null>> };
}

function taintsOf(node: RawObject | undefined): readonly RawObject[] {
  return each(fieldsOf(node?.['spec'])['taints'], (taint) => taint);
}

/** Keeps the binding without subjects, with the time of the removal. */
async function revokeDeciding(
  client: ApiClient,
  bindings: readonly ClusterRoleBinding[],
  nowMs: number,
): Promise<number> {
  const since: number[] = [];
  for (const binding of bindings) {
    const path = pathOf(binding);
    const found = await find(client, path);
    const said = Number(fieldsOf(fieldsOf(found?.['metadata'])['annotations'])[STANDING_DOWN]);
    since.push(Number.isFinite(said) ? said : nowMs);
    if (Number.isFinite(said)) continue;
    const metadata = { ...binding.metadata, annotations: { [STANDING_DOWN]: String(nowMs) } };
    await client.expect({ method: 'PATCH', path, body: { ...binding, metadata, subjects: [] }, ...APPLY });
  }
  return Math.min(nowMs, ...since);
}
