import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Container, Pod } from '../apis/kubernetes.ts';
import { type NodeClaimRecord, requestWithoutUserData } from '../core/model/node-claim-record.ts';

/** What may contain secrets, and no decision reads, is left out of every snapshot. */

const MANIFEST = 'kubectl.kubernetes.io/last-applied-configuration';

/** Leaves out the manifests that kubectl keeps in annotations. For `JSON.stringify`. */
export function withoutManifests(key: string, value: unknown): unknown {
  return key === MANIFEST ? undefined : value;
}

export function withoutUserData(nodeClass: EC2NodeClass): EC2NodeClass {
  const { userData: _, ...spec } = nodeClass.spec;
  return { ...nodeClass, spec };
}

/** The user data of an instance that is being launched is in the request to EC2. */
export function withoutRequestedUserData(record: NodeClaimRecord): NodeClaimRecord {
  const { launch } = record;
  if (launch.kind !== 'requested') return record;
  return { ...record, launch: { ...launch, request: requestWithoutUserData(launch.request) } };
}

const SECRET = ['env', 'envFrom', 'args', 'command'] as const;
type Secrets = Readonly<Record<(typeof SECRET)[number], unknown>>;

/** The functions read pods without these fields; a simulation has them from its manifests. */
export function withoutEnvironment(pod: Pod): Pod {
  const { containers, initContainers } = pod.spec;
  const all = [...(containers ?? []), ...(initContainers ?? [])];
  if (!all.some((one) => SECRET.some((field) => Object.hasOwn(one, field)))) return pod;
  const spec = {
    ...pod.spec,
    ...(containers && { containers: containers.map(reduced) }),
    ...(initContainers && { initContainers: initContainers.map(reduced) }),
  };
  return { ...pod, spec };
}

function reduced(container: Container): Container {
  const {
    env: _env,
    envFrom: _from,
    args: _args,
    command: _command,
    ...kept
  }: Container & Partial<Secrets> = container;
  return kept;
}
