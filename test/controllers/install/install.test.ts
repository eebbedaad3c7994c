import { beforeEach, describe, expect, test } from 'vitest';
import {
  type InstallPorts,
  type InstallTarget,
  install,
  MAX_REASON,
} from '../../../lib/controllers/install/install.ts';
import { type UninstallTarget, uninstall } from '../../../lib/controllers/install/uninstall.ts';
import type { ClusterClaim } from '../../../lib/core/cluster/cluster-claim.ts';
import type { AccessEntry, AuthenticationMode, FoundAccessEntry } from '../../../lib/core/install/access-entries.ts';
import type { WebhookEndpoint } from '../../../lib/core/install/webhook-configuration.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { AccessEntries } from '../../../lib/ports/access-entries.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { Installation } from '../../../lib/ports/installation.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';
import { NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';

const FUNCTION: AccessEntry = { principal: 'arn:role/lifecycle', type: 'STANDARD', groups: ['kerf:lifecycle'] };
const NODE: AccessEntry = { principal: 'arn:role/node', type: 'EC2_LINUX', groups: [] };
const INSTALLER: AccessEntry = { principal: 'arn:role/installer', type: 'STANDARD', groups: [] };
const ADMINISTRATOR = { principal: INSTALLER.principal, policy: 'arn:admin' };
const DEMO: InstallTarget = { cluster: 'demo', entries: [FUNCTION, NODE] };
const GREEN: InstallTarget = { cluster: 'green', entries: [FUNCTION] };

const OWN: ClusterClaim = { deployment: '111122223333/eu-west-3/Kerf-A', isOwn: true };
const OTHER: ClusterClaim = { deployment: '111122223333/eu-west-3/Kerf-B', isOwn: false };

let claim: ClusterClaim | undefined;
let there: Map<string, FoundAccessEntry>;
let mode: AuthenticationMode;
let unknownRoles: ReadonlySet<string>;
/** The calls, in order. */
let done: string[];
let nowMs: number;
let store: NodeClaimStore;
let sinceMs: number | undefined;
/** A call that fails, by cluster. */
let failing: ReadonlyMap<string, Error>;
let whyNoRights: string[];
/** Where a role has the rights of an administrator. */
let administered: Set<string>;
let takeFails: Error | undefined;
/** Whether the cluster has no admission policies. */
let oldCluster: boolean;
let warnings: string[];
/** Changes by others while Kerf waits. */
let meanwhile: () => Promise<void>;

/** EKS with one list for all clusters: keys are `cluster principal`. */
const eks: AccessEntries = {
  clusters: async () => [...new Set([...there.keys()].map((key) => key.split(' ')[0] ?? ''))],
  authenticationMode: async () => mode,
  find: async (cluster, principal) => there.get(`${cluster} ${principal}`),
  create: async (cluster, entry) => {
    if (unknownRoles.has(entry.principal)) throw new RefusedError(`${entry.principal} is invalid`);
    there.set(`${cluster} ${entry.principal}`, entry);
  },
  setGroups: async (cluster, principal, groups) => {
    const found = there.get(`${cluster} ${principal}`);
    if (found !== undefined) there.set(`${cluster} ${principal}`, { ...found, groups });
  },
  givePolicy: async (cluster, principal, policy) => {
    done.push(`give ${policy}`);
    administered.add(`${cluster} ${principal}`);
  },
  takePolicy: async (cluster, principal, policy) => {
    if (takeFails !== undefined) throw takeFails;
    done.push(`take ${policy}`);
    administered.delete(`${cluster} ${principal}`);
  },
  remove: async (cluster, principal) => {
    done.push(`out ${principal}`);
    there.delete(`${cluster} ${principal}`);
  },
};

function installationOf(cluster: string): Installation {
  const does = async (what: string): Promise<void> => {
    const error = failing.get(cluster);
    if (error !== undefined) throw error;
    done.push(what);
  };
  return {
    whyNoRights: async () => whyNoRights.shift(),
    findDefinition: async () => undefined,
    applyDefinition: async ({ metadata }) => await does(`define ${metadata.name}`),
    whyNotEstablished: async () => undefined,
    apply: async ({ kind, metadata }) => {
      await does(`apply ${kind} ${metadata.name}`);
      return oldCluster && kind.startsWith('ValidatingAdmissionPolicy') ? 'unsupported' : 'applied';
    },
    remove: async ({ kind, metadata }) => await does(`remove ${kind} ${metadata.name}`),
    isTakenOver: async () => false,
    listHeld: async (kind) => [{ kind, name: 'general-1' }],
    letGo: async ({ kind }) => await does(`let go ${kind}`).then(() => 'released'),
    findOtherAutoscalers: async () => NO_TRACES,
    listAutoModePools: async () => [],
    readClaim: async () => claim,
    claimCluster: async () => {
      claim ??= OWN;
      return claim;
    },
    releaseClaim: async () => await does('release'),
    revokeDeciding: async (_bindings, atMs) => (sinceMs ??= atMs),
  };
}

function ports(): InstallPorts {
  return {
    entries: eks,
    warn: (cluster, message) => void warnings.push(`${cluster}: ${message}`),
    installation: async (cluster) => installationOf(cluster),
    clock: { now: () => nowMs },
    pause: async (ms) => {
      nowMs += ms;
      await meanwhile();
    },
  };
}

function webhookOf(cluster: string): WebhookEndpoint {
  return { url: 'https://hooks.example.com/', cluster, secret: 'secret' };
}

beforeEach(() => {
  claim = undefined;
  there = new Map();
  mode = 'API_AND_CONFIG_MAP';
  unknownRoles = new Set();
  done = [];
  nowMs = NOW_MS;
  store = memoryNodeClaimStore();
  sinceMs = undefined;
  failing = new Map();
  whyNoRights = [];
  administered = new Set();
  takeFails = undefined;
  oldCluster = false;
  warnings = [];
  meanwhile = async () => {};
});

describe('access', () => {
  test('is created for functions and nodes, and repeating it changes nothing', async () => {
    await install(ports(), [DEMO]);
    const first = new Map(there);
    await install(ports(), [DEMO]);
    expect([...first.keys()]).toEqual(['demo arn:role/lifecycle', 'demo arn:role/node']);
    expect(there).toEqual(first);
  });

  test('a cluster that refuses access does not affect the others, and every reason is reported', async () => {
    unknownRoles = new Set(['arn:role/node']);
    await expect(install(ports(), [DEMO, GREEN])).rejects.toThrow(
      'cluster demo: arn:role/node is invalid (does the role exist? Set nodeRole to an existing role, or set makeNodeRole)',
    );
    expect([...there.keys()].toSorted()).toEqual(['demo arn:role/lifecycle', 'green arn:role/lifecycle']);
  });

  test('nothing is written if the cluster uses only the ConfigMap', async () => {
    mode = 'CONFIG_MAP';
    await expect(install(ports(), [{ ...DEMO, webhook: webhookOf('demo') }])).rejects.toBeInstanceOf(RefusedError);
    expect([there.size, done.length]).toEqual([0, 0]);
  });
});

describe('the installer', () => {
  const target = { ...DEMO, entries: [FUNCTION, INSTALLER], administrator: ADMINISTRATOR, webhook: webhookOf('demo') };

  test('has the rights of an administrator only while it works on the cluster', async () => {
    await install(ports(), [target]);
    expect([done.at(0), done.at(-1)]).toEqual(['give arn:admin', 'take arn:admin']);
    expect(administered.size).toBe(0);
  });

  test('has no rights after a failure', async () => {
    failing = new Map([['demo', new RefusedError('no')]]);
    await expect(install(ports(), [target])).rejects.toThrow('no');
    expect(administered.size).toBe(0);
  });

  test('reports rights that it could not give back, and the failure of its work beside them', async () => {
    takeFails = new UnreachableError('EKS: throttled');
    failing = new Map([['demo', new RefusedError('no')]]);
    await expect(install(ports(), [target])).rejects.toThrow('cluster demo: no');
    expect(warnings).toEqual([expect.stringMatching(/demo: .*still has the rights.*throttled.*daily check/)]);
  });

  test('waits for its rights before it removes anything', async () => {
    whyNoRights = ['403'];
    expect(await takeOut(goes())).toEqual({ draining: [], failures: [] });
    expect(nowMs - NOW_MS).toBe(5 * SECOND);
    expect(administered.size).toBe(0);
  });
});

describe('installing', () => {
  test('creates definitions, policies, RBAC and the webhook in this order, because each needs the previous ones', async () => {
    await install(ports(), [{ ...DEMO, webhook: webhookOf('demo') }]);
    const kinds = done.map((one) => one.split(' ').slice(0, 2).join(' '));
    expect(kinds.findLastIndex((one) => one.startsWith('define'))).toBe(4);
    // What a role allows is limited from the start.
    expect(kinds.slice(5, 9).every((one) => one.startsWith('apply ValidatingAdmissionPolicy'))).toBe(true);
    expect(kinds.slice(9, -1).every((one) => one.startsWith('apply ClusterRole'))).toBe(true);
    expect(done.at(-1)).toBe('apply ValidatingWebhookConfiguration kerf');
  });

  test('a cluster without admission policies is installed, with a note', async () => {
    oldCluster = true;
    const notes = await install(ports(), [{ ...DEMO, webhook: webhookOf('demo') }]);
    expect(notes).toContainEqual({ cluster: 'demo', message: expect.stringContaining('Kubernetes 1.30 or newer') });
    expect(done.at(-1)).toBe('apply ValidatingWebhookConfiguration kerf');
  });

  test('a cluster that does not answer neither hides the failures of others nor stops their installation', async () => {
    failing = new Map<string, Error>([
      ['blue', new UnreachableError('Kubernetes API: no answer')],
      ['red', new RefusedError('Kubernetes API: 422 no')],
    ]);
    const targets = ['red', 'green', 'blue'].map((cluster) => ({ cluster, entries: [], webhook: webhookOf(cluster) }));
    await expect(install(ports(), targets)).rejects.toThrow(
      'cluster blue: Kubernetes API: no answer; cluster red: Kubernetes API: 422 no',
    );
    expect(done.at(-1)).toBe('apply ValidatingWebhookConfiguration kerf');
  });

  test('the failures of all clusters fit the text that CloudFormation shows, shortened equally', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
    failing = new Map(names.map((name) => [name, new UnreachableError('x'.repeat(500))]));
    const targets = names.map((cluster) => ({ cluster, entries: [], webhook: webhookOf(cluster) }));
    const error: unknown = await install(ports(), targets).catch((thrown: unknown) => thrown);
    const message = error instanceof Error ? error.message : '';
    expect(message.length).toBeLessThanOrEqual(MAX_REASON);
    for (const name of names) expect(message).toContain(`cluster ${name}: xxx`);
  });

  test('a call is repeated if an API server does not accept the access entry yet', async () => {
    whyNoRights = ['401', '403'];
    await install(ports(), [{ ...DEMO, webhook: webhookOf('demo') }]);
    expect(nowMs - NOW_MS).toBe(10 * SECOND);
    failing = new Map([['demo', new RefusedError('Kubernetes API: 403 forbidden')]]);
    meanwhile = async () => void (failing = new Map());
    await install(ports(), [{ ...DEMO, webhook: webhookOf('demo') }]);
  });
});

function goes(over: Partial<UninstallTarget> = {}): UninstallTarget {
  return {
    cluster: 'demo',
    entries: [FUNCTION, NODE, INSTALLER],
    administrator: ADMINISTRATOR,
    installed: true,
    drain: false,
    ...over,
  };
}

async function takeOut(target: UninstallTarget, remainingMs = 15 * MINUTE) {
  claim ??= OWN;
  const messages = { wake: async (name: string) => void done.push(`wake ${name}`) };
  const endMs = nowMs + remainingMs;
  return await uninstall({ ...ports(), store, messages, remainingMs: () => endMs - nowMs }, [target]);
}

describe('a cluster that another deployment of Kerf holds', () => {
  const target = { ...DEMO, webhook: webhookOf('demo') };

  test('is not changed by an installation, which fails with the name of that deployment and what to do', async () => {
    claim = OTHER;
    await expect(install(ports(), [target])).rejects.toThrow(
      /cluster demo is held by another deployment.*Kerf-B.*kubectl -n kube-system delete lease kerf/,
    );
    expect(done).toEqual([]);
  });

  test('gets a deployment in shadow, which uses what is installed', async () => {
    claim = OTHER;
    const notes = await install(ports(), [{ ...target, shadow: true }]);
    expect(notes.map(({ message }) => message)).toEqual([expect.stringContaining('eu-west-3/Kerf-B')]);
    expect(done).toEqual([]);
  });

  test('loses nothing when the second deployment is removed, except the access of its functions', async () => {
    claim = OTHER;
    await store.createNodeClaim(aClaim());
    await takeOut(goes({ drain: true }));
    expect(done.filter((one) => !/^(?:give|take) /.test(one))).toEqual([
      'out arn:role/lifecycle',
      'out arn:role/installer',
    ]);
  });
});

describe('the claim of a cluster', () => {
  test('is taken by an installation, and not by one in shadow', async () => {
    const target = { ...DEMO, webhook: webhookOf('demo') };
    await install(ports(), [{ ...target, shadow: true }]);
    expect(claim).toBeUndefined();
    await install(ports(), [target]);
    expect(claim).toEqual(OWN);
  });

  test('is released when everything else but access is removed', async () => {
    claim = OWN;
    await takeOut(goes());
    const last = done.filter((one) => !one.startsWith('take ')).slice(-3);
    expect(last).toEqual(['release', 'out arn:role/lifecycle', 'out arn:role/installer']);
  });
});

describe('uninstalling', () => {
  test('removes the webhook first, RBAC before finalizers, access last, and the installer’s access at the end', async () => {
    await store.createNodeClaim(aClaim());
    expect(await takeOut(goes())).toEqual({ draining: [], failures: [] });
    const first = (start: string) => done.findIndex((one) => one.startsWith(start));
    expect(done.slice(0, 2)).toEqual(['give arn:admin', 'remove ValidatingWebhookConfiguration kerf']);
    expect(first('remove ClusterRole')).toBe(2);
    expect(first('let go')).toBeGreaterThan(done.findLastIndex((one) => one.startsWith('remove')));
    expect(done.slice(-2)).toEqual(['out arn:role/lifecycle', 'out arn:role/installer']);
  });

  test('keeps the access of running nodes, and removes only access from a cluster with only access', async () => {
    await takeOut(goes({ installed: false }));
    expect(done).toEqual(['out arn:role/lifecycle', 'out arn:role/installer']);
  });

  test('reports failures, and removes everything else', async () => {
    failing = new Map([['demo', new UnreachableError('no answer')]]);
    const { failures } = await takeOut(goes());
    expect(failures).toEqual([{ cluster: 'demo', message: 'no answer' }]);
    expect(done).toEqual(['give arn:admin', 'take arn:admin', 'out arn:role/lifecycle', 'out arn:role/installer']);
  });
});

describe('draining', () => {
  const read = async (): Promise<NodeClaimRecord | undefined> => await store.readNodeClaim('demo', 'general-1');
  const release = async (): Promise<void> => {
    const record = await read();
    if (record !== undefined) await store.updateNodeClaim({ ...record, releasedAtMs: nowMs });
  };

  test('marks every claim as deleted and waits for it before it removes anything else', async () => {
    await store.createNodeClaim(aClaim());
    let deletion: unknown;
    meanwhile = async () => {
      if (nowMs - NOW_MS < 5 * MINUTE || deletion !== undefined) return;
      deletion = (await read())?.deletion;
      done.push('the last node is removed');
      await release();
    };
    expect(await takeOut(goes({ drain: true }))).toEqual({ draining: [], failures: [] });
    expect(deletion).toMatchObject({ reason: 'deleted', message: expect.stringContaining('onDelete: drain') });
    expect(done.slice(0, 5)).toEqual([
      'give arn:admin',
      'remove ValidatingWebhookConfiguration kerf',
      'wake termination',
      'wake provisioning',
      'the last node is removed',
    ]);
  });

  test('deletes a claim that a run recorded after the first check', async () => {
    meanwhile = async () => {
      if (nowMs - NOW_MS === 10 * SECOND) await store.createNodeClaim(aClaim());
      if (nowMs - NOW_MS === 50 * SECOND) await release();
    };
    await takeOut(goes({ drain: true }));
    expect((await read())?.deletion).toMatchObject({ reason: 'deleted' });
  });

  test('removes nothing in an invocation that ends before the last node, and the next invocation continues', async () => {
    await store.createNodeClaim(aClaim());
    expect(await takeOut(goes({ drain: true }), 5 * MINUTE)).toEqual({ draining: ['demo'], failures: [] });
    expect(done.filter((one) => !one.startsWith('wake'))).toEqual([
      'give arn:admin',
      'remove ValidatingWebhookConfiguration kerf',
      'take arn:admin',
    ]);
    await release();
    expect(await takeOut(goes({ drain: true }))).toEqual({ draining: [], failures: [] });
    expect(done.at(-1)).toBe('out arn:role/installer');
  });

  test('reports and keeps the remaining nodes after 40 minutes in all invocations, so that the stack can be deleted', async () => {
    await store.createNodeClaim(aClaim());
    await takeOut(goes({ drain: true }));
    await takeOut(goes({ drain: true }));
    const { draining, failures } = await takeOut(goes({ drain: true }));
    expect(draining).toEqual([]);
    expect(failures).toEqual([
      { cluster: 'demo', message: expect.stringMatching(/1 NodeClaims.*40 minutes.*general-1/) },
    ]);
    expect(done.at(-1)).toBe('out arn:role/installer');
  });
});
