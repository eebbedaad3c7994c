import { describe, expect, test } from 'vitest';
import { renderDisruption } from '../../../lib/cli/plan/disruption/render-disruption.ts';
import { isCandidate } from '../../../lib/core/disruption/candidates.ts';
import type { Method, World } from '../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { DisruptionMethod } from '../../../lib/core/model/disruption-command.ts';
import { refusal } from '../../../lib/core/model/refusal.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { anInstance } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget, aNode } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

function text(snapshot: ClusterSnapshot, methods: readonly Method[] = [emptiness], columns = 100): string {
  const plan = planDisruption(methods, snapshot, NOW_MS);
  return renderDisruption(plan, snapshot, { columns, color: false });
}

function pools(disruption = {}) {
  return [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...disruption } })];
}

/** A node that cost this much when it was launched. Its type is not sold any more, so this is still its price (E18). */
function node(name: string, priceUsdPerHour = 0.1) {
  const labels = { 'node.kubernetes.io/instance-type': 'm5.none' };
  const { nodeClaim, node: made } = initializedNode({ name, labels });
  const instance = anInstance({ id: `i-${name}`, priceUsdPerHour });
  return {
    node: made,
    nodeClaim: { ...nodeClaim, launch: { kind: 'launched', attempt: 1, instance, atMs: 0 } },
  } as const;
}

/** A method that replaces each node with pods by the nodes that its pods need. */
function replacing(name: DisruptionMethod = 'single-node'): Method {
  return {
    ...emptiness,
    name,
    reason: 'Underutilized',
    propose: ({ candidates, whatIf }: World) => {
      const busy = candidates.nodes.filter(({ pods }) => pods.length > 0).map((one) => candidates.judge(one));
      const moves = busy
        .filter(isCandidate)
        .map((one) => ({ candidates: [one], replacements: whatIf([one.stateNode.name]).newClaims }));
      return { moves, blocked: [], due: [] };
    },
  };
}

/** A method that refuses each node with pods, with its own number. */
const refusing: Method = {
  ...emptiness,
  propose: ({ candidates }: World) => ({
    moves: [],
    blocked: candidates.nodes.map(({ name }, at) => ({
      subject: { kind: 'Node', name },
      ...refusal('PDB', `it costs $0.10${at}`),
    })),
    due: [],
  }),
};

describe('the text of a plan', () => {
  test('names the surplus of static NodePools, which does not stay (D31)', () => {
    const nodePools = pools({ budgets: [{ nodes: '0' }] }).map((view) => ({
      ...view,
      nodePool: { ...view.nodePool, spec: { ...view.nodePool.spec, replicas: 1 } },
    }));
    const snapshot = snapshotOf([node('a'), node('b')], { nodePools, options: { staticCapacity: true } });
    const message = 'NodePool general has 2 nodes, and spec.replicas is 1';
    const [first, second, ...rest] = text(snapshot, [emptiness], 200).split('\n');
    expect(first).toMatch(/^No command\. 2 nodes for /);
    expect(second).toBe(`1 node deleted without regard to budgets, because ${message}: a.`);
    expect(rest.join('\n')).not.toMatch(/^ +a$/m);
  });

  test('has the totals, the removed nodes, and why the others stay', () => {
    const snapshot = snapshotOf([node('a', 0.2), node('b'), node('c')], {
      nodePools: pools(),
      pods: [runningPod('b', { name: 'web' })],
    });
    expect(text(snapshot).split('\n')).toEqual([
      '1 command: 2 of 3 nodes removed, 0 launched, 0 evictions.',
      'The cluster costs $0.4000/h (about $292 a month) now and $0.1000/h (about $73 a month) afterwards.',
      '',
      'Commands',
      '       node  NodePool  type      capacity   zone        pods     $/h',
      '  1. emptiness: delete 2 nodes, 0 evictions, saves $0.3000/h (about $219 a month)',
      '     - a     general   m5.large  on-demand  eu-west-3a     0  0.2000',
      '     - c     general   m5.large  on-demand  eu-west-3a     0  0.1000',
      '',
      'Nodes that stay',
      '  1 node: needed by running pods',
      '      b',
      '',
    ]);
  });

  test('has the new nodes of a command, the pods that are evicted, and what the change costs', () => {
    const snapshot = snapshotOf([node('a', 5), node('b', 0.000001)], {
      nodePools: pools(),
      pods: [
        runningPod('a', { name: 'api-1', requests: { cpu: '1500m' } }),
        runningPod('a', { name: 'fluentd', owner: 'DaemonSet' }),
        runningPod('b', { name: 'db-1', requests: { cpu: '1500m' } }),
      ],
    });
    const [, , , , , ...lines] = text(snapshot, [replacing()]).split('\n');
    expect(lines).toEqual([
      expect.stringMatching(
        /^ {2}1\. single-node: replace 1 node by 1, 1 eviction, saves \$4\.\d{4}\/h \(about \$3,\d{3} a month\)$/,
      ),
      '     evicts api',
      expect.stringMatching(/^ {5}- a .* 1 {2}5\.0000$/),
      expect.stringMatching(/^ {5}\+ new node .* eu-west-3a .* 1 {2}0\.\d{4}$/),
      expect.stringMatching(
        /^ {2}2\. single-node: replace 1 node by 1, 1 eviction, costs \$0\.\d{4}\/h more \(about \$\d+ a month\)$/,
      ),
      '     evicts db',
      expect.stringMatching(/^ {5}- b /),
      expect.stringMatching(/^ {5}\+ new node /),
      '',
    ]);
  });

  test('says which commands would wait for the evictions of others', () => {
    const pods = ['a', 'b'].map((name) => runningPod(name, { name: `api-${name}`, labels: { app: 'web' } }));
    const snapshot = snapshotOf([node('a'), node('b')], {
      nodePools: pools(),
      pods,
      podDisruptionBudgets: [aBudget({ status: { disruptionsAllowed: 1 } })],
    });
    const waiting = text(snapshot, [replacing()], 200)
      .split('\n')
      .filter((line) => line.includes('waits'));
    expect(waiting).toEqual([
      '     waits: PodDisruptionBudget default/web allows 1 eviction now, other commands evict 1 of its pods, and the node has 1 more',
    ]);
  });

  test.each([80, 100, 120])('no line is longer than a terminal of %i columns', (columns) => {
    const names = ['ip-10-0-1-23.eu-west-3.compute.internal', 'ip-10-0-1-24.eu-west-3.compute.internal'];
    const snapshot = snapshotOf([...names.map((name) => node(name)), node('c')], {
      nodePools: pools(),
      pods: names.map((name) => runningPod(name, { name: `web-${name}`, requests: { cpu: '1500m' } })),
    });
    const lines = text(snapshot, [emptiness, replacing()], columns).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test('has at most 20 commands, and 20 nodes of a command', () => {
    const many = Array.from({ length: 25 }, (_, at) => node(`node-${at}`));
    const nodes = snapshotOf(many, { nodePools: pools() });
    expect(text(nodes)).toContain('\n       and 5 more removed nodes (--output json has all)\n');
    const pods = many.map((_, at) => runningPod(`node-${at}`, { name: `web-${at}`, requests: { cpu: '1500m' } }));
    expect(text({ ...nodes, pods }, [replacing()])).toContain('\n  and 5 more commands (--output json has all)\n');
  });

  test('without commands, has what the cluster costs', () => {
    const snapshot = snapshotOf([node('a')], { nodePools: pools({ consolidateAfter: '2h' }) });
    expect(text(snapshot)).toBe(
      [
        'No node would be removed. 1 node for $0.1000/h (about $73 a month).',
        '',
        'Nodes that stay',
        '  1 node: ConsolidateAfter: the node may be consolidated from 2026-01-31T09:00:00Z, 2h after its',
        '  last change of pods',
        '      a',
        '',
      ].join('\n'),
    );
  });

  test('says that its cost is without the nodes of others, whose price is not known', () => {
    const others = [aNode({ name: 'of-a-node-group' })];
    const kept = snapshotOf([node('a')], { nodePools: pools({ consolidateAfter: '2h' }) });
    expect(text({ ...kept, nodes: [...kept.nodes, ...others] })).toContain(
      'No node would be removed. 2 nodes, 1 of Kerf for $0.1000/h (about $73 a month).',
    );
    const empty = snapshotOf([node('a')], { nodePools: pools() });
    expect(text({ ...empty, nodes: [...empty.nodes, ...others] }, [emptiness], 120)).toContain(
      'Without nodes of others (1), the cluster costs $0.1000/h (about $73 a month) now and $0.0000/h',
    );
  });

  test('without nodes, has one line', () => {
    expect(text(snapshotOf([]))).toBe('The snapshot has no nodes: nothing would change.\n');
  });

  test('if something could not be read, has what', () => {
    const unread = {
      subject: { kind: 'NodeOverlay', name: 'x' },
      reason: 'NotRead',
      message: 'no answer',
      numbers: {},
    } as const;
    expect(text(snapshotOf([node('a')], { ignoredObjects: [unread] }))).toBe(
      'Nothing was planned: disruption waits until everything that could keep a node is read.\n  nodeoverlay x: no answer\n',
    );
  });
});

describe('nodes that stay', () => {
  test('are grouped by reason, the largest group first, with a few names', () => {
    const keep = { 'karpenter.sh/do-not-disrupt': 'true' };
    const kept = Array.from({ length: 6 }, (_, at) => initializedNode({ name: `kept-${at}`, annotations: keep }));
    const stranger = { node: { ...node('stranger').node, spec: { providerID: 'other' } } };
    const snapshot = snapshotOf([...kept, node('busy')], {
      nodePools: pools(),
      commands: [aCommand({ candidates: candidatesNamed('busy'), decidedAtMs: NOW_MS })],
    });
    const staying = text({ ...snapshot, nodes: [...snapshot.nodes, stranger.node] });
    expect(staying.slice(staying.indexOf('Nodes that stay')).split('\n')).toEqual([
      'Nodes that stay',
      '  6 nodes: DoNotDisrupt: the node has the annotation karpenter.sh/do-not-disrupt',
      '      kept-0, kept-1, kept-2, kept-3 and 2 more',
      '  1 node: in a disruption command that is in progress',
      '      busy',
      '  1 node: not managed by Kerf',
      '      stranger',
      '',
    ]);
  });

  test('with many messages that differ have one as an example', () => {
    const [few, many] = [
      ['a', 'b'],
      ['a', 'b', 'c', 'd'],
    ].map((names) =>
      text(
        snapshotOf(
          names.map((name) => node(name)),
          { nodePools: pools() },
        ),
        [refusing],
      ),
    );
    expect(few).toContain('\n  1 node: PDB: it costs $0.100\n      a\n  1 node: PDB: it costs $0.101\n      b\n');
    expect(many).toContain('\n  4 nodes: PDB: for example, it costs $0.100\n      a, b, c, d\n');
  });
});
