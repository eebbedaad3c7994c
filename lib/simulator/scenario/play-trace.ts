import { counted } from '../../apis/counted.ts';
import type { Container, PodTemplate } from '../../apis/kubernetes.ts';
import { templateOf } from '../../apis/scenario/load.ts';
import type { Trace } from '../../apis/scenario/trace.ts';
import { loadJobs } from './load-jobs.ts';
import type { ScenarioStage } from './scenario-stage.ts';

/** Lets the pods of a trace arrive, row by row. The rows after the end of the simulation are only counted. */
export function playTrace(stage: ScenarioStage, trace: Trace, given: PodTemplate | undefined): void {
  const { timetable, timeline, state, endMs } = stage;
  const startMs = timetable.now();
  const template = templateOf({ name: 'trace', ...(given !== undefined && { template: given }) });
  const jobs = loadJobs(state, { kind: 'Trace', name: 'trace', namespace: 'default' });
  const played = rowsBefore(trace, endMs - startMs);
  if (played < trace.length) timeline.remarks.add(notPlayed(trace, played));
  const playFrom = (first: number): void => {
    const atMs = trace.timeMs[first];
    if (atMs === undefined || first >= played) return;
    timetable.after(startMs + atMs - timetable.now(), () => {
      let row = first;
      for (; row < played && trace.timeMs[row] === atMs; row += 1)
        for (let pod = 0; pod < (trace.count[row] ?? 0); pod += 1)
          jobs.add(withRequests(template, trace, row), trace.lifetimeMs[row] ?? 0);
      playFrom(row);
    });
  };
  playFrom(0);
}

function rowsBefore({ timeMs, length }: Trace, endMs: number): number {
  const after = timeMs.findIndex((atMs) => atMs >= endMs);
  return after < 0 ? length : after;
}

function notPlayed({ file, length, count }: Trace, played: number): string {
  let pods = 0;
  for (let row = played; row < length; row += 1) pods += count[row] ?? 0;
  return `trace ${file}: ${counted(length - played, 'row')} of ${length}, with ${counted(pods, 'pod')}, not played: after the end of the simulation`;
}

/** The template with the requests of a row for its first container. */
function withRequests(template: PodTemplate, { cpuMillicores, memoryBytes }: Trace, row: number): PodTemplate {
  const [first, ...others] = template.spec.containers;
  if (first === undefined) return template;
  const { resources } = first;
  const requests = { ...resources?.requests, cpu: `${cpuMillicores[row]}m`, memory: String(memoryBytes[row]) };
  const own: Container = { ...first, resources: { ...resources, requests } };
  return { ...template, spec: { ...template.spec, containers: [own, ...others] } };
}
