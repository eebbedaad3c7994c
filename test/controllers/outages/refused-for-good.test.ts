import { describe, expect, test } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DELETED_MS, GRACE_MS, type Played, playRefused, type Refused, type Told, USUAL_MS } from './refusal.ts';

interface Case extends Refused {
  /** Every failure in the logs, at most once an hour. */
  readonly failures: readonly RegExp[];
  /** Every Event that names the cause, at most once an hour. @default none */
  readonly events?: readonly RegExp[];
  /** When the instance of the refused object ends. `deadline`: at the end of its `terminationGracePeriod`. */
  readonly ends: 'usual' | 'deadline' | 'never';
}

const EVICTION = {
  failures: [/^general-\w+: evict-pod default\/web-\S+: denied$/],
  events: [/^Node FailedDraining: pod default\/web-\S+: evict-pod default\/web-\S+ is refused: denied$/],
  ends: 'deadline',
} as const;

const RELEASE = {
  failures: [/^general-\w+: release-node-claim general-\w+: denied$/],
  events: [/^NodeClaim ActionRefused: release-node-claim general-\w+ is refused: denied$/],
  ends: 'usual',
} as const;

const DELETION_NOT_RECORDED = {
  failures: [/^general-\w+: delete-node-claim general-\w+: denied$/],
  events: [/^NodeClaim ActionRefused: delete-node-claim general-\w+ is refused: denied$/],
  ends: 'never',
} as const;

const OPEN_DECISION = {
  failures: [/^the table refuses to close decision provisioning-\S+, so each run carries it out again: denied$/],
  ends: 'usual',
} as const;

/** docs/stuck-nodes.md has the same cases, for an operator. */
const CASES: Readonly<Record<string, Case>> = {
  'the launch of a claim': {
    calls: ['cloud.launch'],
    while: 'launch',
    failures: [/^EC2 refuses launches of NodePool general: denied$/],
    events: [/^NodeClaim LaunchFailed: denied$/],
    ends: 'never',
  },
  'the first write of a record': {
    calls: ['store.createNodeClaim'],
    while: 'launch',
    failures: [/^create-node-claim general-\w+: denied$/],
    events: [/^NodeClaim ActionRefused: create-node-claim general-\w+ is refused: denied$/],
    ends: 'never',
  },
  'every later write of a record': {
    calls: ['store.updateNodeClaim'],
    while: 'launch',
    failures: [...DELETION_NOT_RECORDED.failures, /^write the record of NodeClaim general-\w+: denied$/],
    events: DELETION_NOT_RECORDED.events,
    ends: 'never',
  },
  'the end of a decision that creates claims': { calls: ['store.closeDecision'], while: 'launch', ...OPEN_DECISION },
  'every patch of a node that joins': {
    calls: ['cluster.patchNode'],
    while: 'launch',
    failures: [/^general-\w+: register-node i-\S+: denied$/],
    events: [/^Node ActionRefused: register-node i-\S+ is refused: denied$/],
    ends: 'usual',
  },
  'the tags of an instance': {
    calls: ['cloud.tagInstance'],
    while: 'launch',
    failures: [/^general-\w+: tag-instance i-\w+: denied$/],
    ends: 'usual',
  },
  'the status of a NodePool': {
    calls: ['cluster.patchNodePool'],
    while: 'launch',
    failures: [/^NodePool general: denied$/],
    ends: 'usual',
  },
  'the object of a new claim': {
    calls: ['cluster.applyNodeClaim'],
    while: 'launch',
    failures: [/^show NodeClaim general-\w+: denied$/],
    ends: 'never',
  },
  'the object of a claim that is deleted': {
    calls: ['cluster.applyNodeClaim'],
    while: 'drain',
    failures: [/^show NodeClaim general-\w+: denied$/],
    ends: 'usual',
  },
  'the deletion of the object of a claim': {
    calls: ['cluster.deleteNodeClaim'],
    while: 'drain',
    failures: [/^delete NodeClaim general-\w+: denied$/],
    ends: 'usual',
  },
  'the last write of the object of a claim': { calls: ['cluster.removeNodeClaim'], while: 'drain', ...RELEASE },
  'the eviction of a pod': { calls: ['cluster.evictPod'], while: 'drain', ...EVICTION },
  'the eviction and the deletion of a pod': {
    calls: ['cluster.evictPod', 'cluster.deletePod'],
    while: 'drain',
    ...EVICTION,
  },
  'the deletion of a pod that a budget holds': {
    calls: ['cluster.deletePod'],
    while: 'drain',
    held: true,
    ...EVICTION,
  },
  'the list of the pods of a node': {
    calls: ['cluster.listPodsOnNode'],
    while: 'drain',
    failures: [/^read the pods of nodes: node i-\S+: denied$/],
    ends: 'deadline',
  },
  'every patch of a node that is drained': {
    calls: ['cluster.patchNode'],
    while: 'drain',
    failures: [/^general-\w+: cordon-node i-\S+: denied$/, ...RELEASE.failures],
    events: [...RELEASE.events, /^Node ActionRefused: cordon-node i-\S+ is refused: denied$/],
    ends: 'usual',
  },
  'the deletion of a node': {
    calls: ['cluster.deleteNode'],
    while: 'drain',
    failures: [/^delete Node i-\S+: denied$/, ...RELEASE.failures],
    events: RELEASE.events,
    ends: 'usual',
  },
  'the termination of an instance': {
    calls: ['cloud.terminate'],
    while: 'drain',
    failures: [/^general-\w+: terminate-instance i-\w+: denied$/],
    events: [/^NodeClaim ActionRefused: terminate-instance i-\w+ is refused: denied$/],
    ends: 'never',
  },
  'every write of a record that is deleted': {
    calls: ['store.updateNodeClaim'],
    while: 'drain',
    ...DELETION_NOT_RECORDED,
  },
  'every read of a record': { calls: ['store.readNodeClaim'], while: 'drain', ...DELETION_NOT_RECORDED },
  'the end of a decision': { calls: ['store.closeDecision'], while: 'drain', ...OPEN_DECISION },
};

/** Each text is there, nothing else is, and what is there again is an hour later. */
function expectOnceAnHour(told: readonly Told[], texts: readonly RegExp[] = []): void {
  const byText = Map.groupBy(told, ({ text }) => text);
  expect([...byText.keys()]).toHaveLength(texts.length);
  expect([...byText.keys()]).toEqual(expect.arrayContaining(texts.map((text) => expect.stringMatching(text))));
  for (const [text, all] of byText) {
    const pauses = all.slice(1).map(({ atMs }, index) => atMs - (all[index]?.atMs ?? 0));
    // The failures of a run are reported at its end.
    expect(Math.min(...pauses, HOUR_MS), text).toBeGreaterThanOrEqual(HOUR_MS - SECOND_MS);
  }
}

/** When the instance of a claim ends, at most. */
const LATEST_MS: Readonly<Record<Case['ends'], number>> = {
  usual: DELETED_MS + USUAL_MS,
  deadline: DELETED_MS + GRACE_MS + 10 * SECOND_MS,
  never: Infinity,
};

function expectEnds({ instances, refused }: Played, { ends, held }: Case): void {
  for (const { nodeClaim, endedMs = Infinity } of instances) {
    const isOther = nodeClaim !== refused?.nodeClaim;
    const latestMs = LATEST_MS[isOther ? (held === true ? 'deadline' : 'usual') : ends];
    expect(endedMs, nodeClaim).toBeLessThanOrEqual(latestMs);
    if (!isOther && ends === 'deadline') expect(endedMs, 'pods are not ended early').toBeGreaterThan(LATEST_MS.usual);
    if (!isOther && ends === 'never') expect(endedMs, 'an end that nothing records').toBe(Infinity);
  }
}

describe('what is refused for ever for one object does not affect others, and is reported once an hour', () => {
  test.each(Object.entries(CASES))('%s', async (_, one) => {
    const played = await playRefused(one);
    expect(played.refused, 'nothing is refused').toBeDefined();
    expectEnds(played, one);
    // One pod may wait for the refused object.
    expect(played.podsRunning).toBeGreaterThanOrEqual(3);
    expect(played.podsPending).toEqual([]);
    expectOnceAnHour(played.failures, one.failures);
    expectOnceAnHour(played.events, one.events);
    expectOnceAnHour(
      played.published,
      [...new Set(played.published.map(({ text }) => text))].toSorted().map(() => /denied/),
    );
  });
});

describe('while EC2 refuses every launch', () => {
  const REFUSED = { calls: ['cloud.launch'], every: true, while: 'launch' } as const;
  const WHY =
    /NodePool general: NodeClaim general-\w+ is planned for it, and EC2 refuses the launch: denied; correct the cause/;

  test('a pod shows the refusal', async () => {
    const { podsPending, podEvents } = await playRefused(REFUSED, { durationMs: DELETED_MS - 10 * SECOND_MS });
    expect(podsPending).toEqual(podsPending.map(() => expect.stringMatching(WHY)));
    expect(podsPending).toHaveLength(3);
    const shown = podEvents.map(({ text }) => text);
    expect(shown).toEqual(shown.map(() => expect.stringMatching(/^Pod FailedScheduling: /)));
    expect(shown.length).toBeGreaterThanOrEqual(3);
  });

  test('each NodePool reports it once an hour, although its NodeClaims are given up and planned again', async () => {
    const { instances, failures, events } = await playRefused(REFUSED);
    expect(instances).toEqual([]);
    expectOnceAnHour(failures, [/^EC2 refuses launches of NodePool general: denied$/]);
    // At most four claims at a time, each given up after five minutes.
    expect(events.length).toBeLessThanOrEqual(4 * 15);
  });
});
