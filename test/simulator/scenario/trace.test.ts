import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../lib/apis/scenario/trace.ts';
import { readTrace } from '../../../lib/manifests/read/read-trace.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { entriesOf, played } from './played.ts';

function traceOf(...rows: readonly string[]): Trace {
  return readTrace('a.csv', ['time,count,cpu,memory,lifetime', ...rows].join('\n')).trace;
}

async function traced(trace: Trace, over: Partial<SimulationInput> = {}): Promise<SimulationResult> {
  return played([], { manifests: someManifests({ deployments: [] }), trace, ...over });
}

describe('a trace', () => {
  test('runs the pods of its rows, each for its lifetime', async () => {
    const result = await traced(traceOf('0,2,500m,512Mi,5m', '600,1,1,1Gi,60', '600,0,1,1Gi,60'));
    const started = new Map(entriesOf(result, 'pod-running').map(({ pod, at }) => [pod, at]));
    const completed = entriesOf(result, 'pod-completed');
    expect(completed.map(({ pod, at }) => Math.round(at - (started.get(pod) ?? 0)))).toEqual([300, 300, 60]);
    expect(entriesOf(result, 'pod-pending').map(({ at, workload }) => [Math.floor(at), workload])).toEqual([
      [0, 'Trace default/trace'],
      [0, 'Trace default/trace'],
      [600, 'Trace default/trace'],
    ]);
    expect(result).toMatchObject({ podsRunning: 0, podsPending: [], notes: [] });
  });

  test('gives its pods the requests of their row, on the template of the scenario', async () => {
    const template = { spec: { nodeSelector: { nowhere: 'x' }, containers: [{ name: 'a', image: 'b' }] } };
    const scenario = { name: 'traced', events: [], trace: { file: 'a.csv', declaredIn: 'b.yaml', template } };
    const fits = await traced(traceOf('0,1,3,512Mi,5m'));
    const [created] = entriesOf(fits, 'create-node-claim');
    expect(created?.requests).toMatchObject({ cpu: '3', memory: '512Mi' });
    const result = await traced(traceOf('0,1,3,512Mi,5m'), { scenario });
    expect(result).toMatchObject({
      nodesLaunched: 0,
      podsPending: [{ pod: expect.stringContaining('default/trace-1-') }],
    });
  });

  test('with rows after the end of the simulation names them in the notes', async () => {
    const result = await traced(traceOf('0,1,1,1Gi,60', '3599,1,1,1Gi,60', '3600,2,1,1Gi,60', '7200,3,1,1Gi,60'));
    expect(entriesOf(result, 'pod-pending')).toHaveLength(2);
    expect(result.notes).toEqual([
      'trace a.csv: 2 rows of 4, with 5 pods, not played: after the end of the simulation',
    ]);
  });
});
