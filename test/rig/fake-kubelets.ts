/** One kubelet for all nodes: it starts pods, reports them Ready, and ends them. It does not renew leases. */
import { setTimeout } from 'node:timers/promises';
import { callApi, read } from '../cluster/support/api-client.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { runningStatus } from './pod-status.ts';

const LOOK_EVERY_MS = 250;

/** The label of pods that do not end at once when they are deleted. */
const ENDS = 'test/ends';

export interface FakeKubelets {
  /** The apps whose pods are not Ready. */
  readonly unready: Set<string>;
  /** The number of Ready pods of the app that are not deleted. */
  readonly ready: (app: string) => number;
  /** The smallest number of Ready pods that the app had since `count`. */
  readonly leastReady: (app: string) => number;
  /** When the last pod of the app was seen on the node. */
  readonly lastSeenMs: (app: string, node: string) => number;
  /** Begins to count Ready pods. */
  readonly count: () => void;
  readonly close: () => Promise<void>;
}

/** The labels of pods that end only after their grace period, or never. */
export function endsOnly(when: 'after-grace' | 'never'): Readonly<Record<string, string>> {
  return { [ENDS]: when };
}

export function startFakeKubelets(): FakeKubelets {
  const stopped = new AbortController();
  const unready = new Set<string>();
  const least = new Map<string, number>();
  const seen = new Map<string, number>();
  let ready = new Map<string, number>();
  let isCounting = false;
  const look = async (): Promise<void> => {
    const pods = listAt(await read('/api/v1/pods'), 'items').filter((pod) => at(pod, 'spec', 'nodeName') !== undefined);
    ready = new Map();
    for (const pod of pods) {
      const app = appOf(pod);
      seen.set(`${app}/${textAt(pod, 'spec', 'nodeName')}`, Date.now());
      if (isReady(pod) && at(pod, 'metadata', 'deletionTimestamp') === undefined)
        ready.set(app, (ready.get(app) ?? 0) + 1);
      else ready.set(app, ready.get(app) ?? 0);
    }
    if (isCounting) for (const [app, count] of ready) least.set(app, Math.min(count, least.get(app) ?? Infinity));
    await Promise.all(pods.map(async (pod) => await playPod(pod, unready)));
  };
  const life = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await setTimeout(LOOK_EVERY_MS);
    }
  })();
  return {
    unready,
    ready: (app) => ready.get(app) ?? 0,
    leastReady: (app) => least.get(app) ?? Number.NaN,
    lastSeenMs: (app, node) => seen.get(`${app}/${node}`) ?? Number.NaN,
    count: () => {
      isCounting = true;
    },
    close: async () => {
      stopped.abort();
      await life;
    },
  };
}

async function playPod(pod: unknown, unready: ReadonlySet<string>): Promise<void> {
  const path = `/api/v1/namespaces/${textAt(pod, 'metadata', 'namespace')}/pods/${textAt(pod, 'metadata', 'name')}`;
  const preconditions = { uid: textAt(pod, 'metadata', 'uid') };
  const deletion = at(pod, 'metadata', 'deletionTimestamp');
  if (typeof deletion === 'string') {
    const ends = at(pod, 'metadata', 'labels', ENDS);
    if (ends === 'never' || (ends === 'after-grace' && Date.now() < Date.parse(deletion))) return;
    await callApi({ method: 'DELETE', path, body: { gracePeriodSeconds: 0, preconditions } });
    return;
  }
  const wantsReady = !unready.has(appOf(pod));
  if (at(pod, 'status', 'phase') === 'Running' && isReady(pod) === wantsReady) return;
  const status = runningStatus(pod, new Date());
  const conditions = listAt(status, 'conditions').map((one) => ({
    ...Object(one),
    status: wantsReady ? 'True' : 'False',
  }));
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  const body = { metadata: preconditions, status: { ...Object(status), conditions } };
  await callApi({ method: 'PATCH', path: `${path}/status`, headers, body });
}

function isReady(pod: unknown): boolean {
  return listAt(pod, 'status', 'conditions').some((one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True');
}

function appOf(pod: unknown): string {
  return String(at(pod, 'metadata', 'labels', 'app'));
}
