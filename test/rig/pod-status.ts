/** The status that a kubelet writes for a running pod: all containers start and become ready at once. */
import { at, listAt } from '../stack/json.ts';

const READY_CONDITIONS = ['Initialized', 'ContainersReady', 'Ready'] as const;

export function runningStatus(pod: unknown, now: Date): unknown {
  const time = now.toISOString();
  return {
    phase: 'Running',
    startTime: time,
    conditions: READY_CONDITIONS.map((type) => ({ type, status: 'True', lastTransitionTime: time })),
    containerStatuses: listAt(pod, 'spec', 'containers').map((container) => ({
      name: at(container, 'name'),
      image: at(container, 'image'),
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: time } },
    })),
  };
}
