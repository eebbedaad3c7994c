import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import { answerWidget, type WidgetPorts } from '../../../lib/controllers/widgets.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import { hourOf, type UsageHour } from '../../../lib/core/usage/usage-hour.ts';
import { escaped } from '../../../lib/core/widgets/markup.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const EVIL = '</style><script>alert(1)</script><img src=x onerror=alert(2)>"\'';

function aRecord(over: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    formatVersion: 1,
    id: '20260131T075900.000Z-provisioning-abc123',
    cluster: 'demo',
    function: 'provisioning',
    atMs: NOW_MS - 60_000,
    durationMs: 5,
    wokenBy: 'webhook',
    decisions: ['provisioning-1'],
    actions: [{ kind: 'create-node-claim', nodeClaims: ['general-a'], nodePool: 'general', pods: ['shop/web-1'] }],
    refused: { InsufficientResources: 1 },
    refusals: [
      {
        reason: 'InsufficientResources',
        kind: 'Pod',
        nodePool: 'general',
        message: 'needs 500 cpu',
        numbers: {},
        count: 1,
        names: ['shop/huge-1'],
      },
    ],
    price: { beforeUsdPerHour: 0, afterUsdPerHour: 0.25 },
    version: 'test',
    ...over,
  };
}

const CLAIMS = ['node-1', 'node-2'].map((name) =>
  launchedClaim({ name: `claim-${name}`, nodeName: name, initializedAtMs: NOW_MS }, { id: `i-${name}` }),
);

const HOUR: UsageHour = {
  formatVersion: 1,
  cluster: 'demo',
  hourMs: hourOf(NOW_MS),
  atMs: NOW_MS - 120_000,
  looks: 3,
  usdPerHour: 0.2,
  nodes: [
    {
      name: 'node-1',
      nodePool: 'general',
      instanceType: 'm5.large',
      zone: 'eu-west-3a',
      capacityType: 'on-demand',
      usdPerHour: 0.1,
      requestedUsdPerHour: 0.05,
      cpuMillicores: [1_000, 2_000],
      memoryMib: [2_048, 8_192],
      pods: 4,
      looks: 3,
    },
  ],
  nodesNow: 1,
  namespaces: {},
  labels: {},
};

function portsOf(records: readonly DecisionRecord[], claims = CLAIMS): WidgetPorts {
  return {
    log: {
      list: async (_, { fromMs, untilMs }) => records.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs),
      usage: async () => [HOUR],
    },
    store: { listNodeClaims: async () => claims },
    clock: { now: () => NOW_MS },
  };
}

const ARN = 'arn:aws:lambda:eu-west-3:123456789012:function:widgets';

async function drawn(widget: string, context: object = {}, ports = portsOf([aRecord()])): Promise<string> {
  return await answerWidget(ports, { widget, cluster: 'demo', widgetContext: context }, ARN);
}

async function fails(): Promise<never> {
  throw new UnreachableError('DynamoDB does not answer');
}

describe('a widget', () => {
  test.each(['decisions', 'fleet', 'pending-pod'])('has no script, no handler and no address: %s', async (widget) => {
    const record = aRecord({
      wokenBy: EVIL,
      actions: [{ kind: 'delete-node-claim', nodeClaims: [EVIL], message: EVIL }],
      refusals: [
        { ...aRecord().refusals[0], reason: 'PDB', kind: 'Pod', message: EVIL, numbers: {}, count: 1, names: [EVIL] },
      ],
    });
    const claims = CLAIMS.map((claim) => ({ ...claim, nodePool: EVIL, nodeName: EVIL }));
    for (const pod of [undefined, EVIL]) {
      const html = await drawn(widget, { forms: { all: { pod } } }, portsOf([record], claims));
      expect(html).toContain(escaped(EVIL));
      expect(html).not.toMatch(/<(script|img|iframe|use|object|link)\b/i);
      expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]+\son\w+=/i);
      expect(html).not.toMatch(/https?:/);
    }
  });

  test('shows an action and a reason of a newer version, which was deployed before', async () => {
    const [refusal] = aRecord().refusals;
    const actions = Object([{ kind: 'pause-node', nodes: ['node-1'] }]);
    const ports = portsOf([aRecord({ actions, refusals: Object([{ ...refusal, reason: 'NewReason' }]) })]);
    expect(await drawn('decisions', {}, ports)).toContain('pause-node, of another version of Kerf');
    expect(await drawn('pending-pod', { forms: { all: { pod: 'shop/huge-1' } } }, ports)).toContain('NewReason');
  });

  test('has the colors of the theme', async () => {
    const [light, dark] = [await drawn('fleet', { theme: 'light' }), await drawn('fleet', { theme: 'dark' })];
    expect(light).not.toBe(dark);
    expect(await drawn('fleet')).toBe(light);
  });

  test('describes itself, and says what is missing', async () => {
    expect(await answerWidget(portsOf([]), { describe: true }, ARN)).toContain(
      '"widget" (decisions, fleet, pending-pod)',
    );
    expect(await answerWidget(portsOf([]), {}, ARN)).toContain('write &quot;widget&quot;');
    expect(await answerWidget(portsOf([]), null, ARN)).toContain('write &quot;widget&quot;');
  });

  test('says that the table cannot be read', async () => {
    const ports = portsOf([]);
    expect(await drawn('decisions', {}, { ...ports, log: { ...ports.log, list: fails } })).toContain(
      'DynamoDB does not answer',
    );
  });

  test('shows the time of the dashboard, or the part that is zoomed into', async () => {
    const before = { timeRange: { start: NOW_MS - 2 * HOUR_MS, end: NOW_MS - HOUR_MS } };
    expect(await drawn('decisions', before)).toContain('No decision is recorded');
    const zoomed = { timeRange: { ...before.timeRange, zoom: { start: NOW_MS - HOUR_MS, end: NOW_MS } } };
    expect(await drawn('decisions', zoomed)).toContain('1 NodeClaim created');
  });
});

test('the decisions have their reasons, pods and prices', async () => {
  const html = await drawn('decisions');
  expect(html).toContain('1 NodeClaim created, refused: 1 InsufficientResources');
  expect(html).toContain('InsufficientResources: 1 pod by NodePool general: shop/huge-1: needs 500 cpu');
  expect(html).toContain('0.2500');
  expect(html).toContain('kerf show abc123');
});

test('the fleet has each node with its price and what its pods request', async () => {
  const html = await drawn('fleet', { width: 500 });
  expect(html).toContain('2 nodes, $');
  expect(html).toContain('Pods request 50 % of the price, seen at 07:58 UTC.');
  expect(html).toMatch(
    /node-1: m5\.large on-demand in eu-west-3a, \$0\.\d+\/h, cpu 50 % requested, memory 25 % requested, 4 pods/,
  );
  expect(html).toMatch(/node-2: [^<]*requests not known yet/);
  expect(html).toContain('width="470"');
});

test('a cluster without nodes is a sentence', async () => {
  expect(await drawn('fleet', {}, portsOf([], []))).toContain('The cluster has no nodes of Kerf.');
});

describe('why a pod is pending', () => {
  test('is asked with a form that calls the function itself', async () => {
    const html = await drawn('pending-pod');
    expect(html).toContain(`<cwdb-action action="call" display="widget" endpoint="${ARN}">`);
    expect(html).toContain(escaped(JSON.stringify({ widget: 'pending-pod', cluster: 'demo' })));
    expect(html).toContain('<td>shop/huge-1</td><td>InsufficientResources: needs 500 cpu</td>');
    expect(html).not.toContain('shop/web-1');
  });

  test('is answered with reason, numbers and what to do', async () => {
    const html = await drawn('pending-pod', { forms: { all: { pod: 'shop/huge-1' } } });
    expect(html).toContain('Unschedulable');
    expect(html).toContain('NodePool general: needs 500 cpu');
    expect(html).toContain('→ No instance type of the NodePool is large enough');
    expect(html).toContain('value="shop/huge-1"');
  });

  test('of an unknown pod is a sentence', async () => {
    const html = await drawn('pending-pod', { forms: { all: { pod: 'shop/none' } } });
    expect(html).toContain('No decision of this time names pod shop/none.');
  });

  test('a pod that has a place since is not listed', async () => {
    const placed = aRecord({
      id: '20260131T075930.000Z-provisioning-abd',
      atMs: NOW_MS - 30_000,
      actions: [{ kind: 'nominate-node', nodes: ['node-1'], pods: ['shop/huge-1'] }],
      refusals: [],
    });
    expect(await drawn('pending-pod', {}, portsOf([aRecord(), placed]))).toContain('No pod was refused in this time.');
  });
});
