import { formatTime } from '../../lib/apis/formats/time.ts';
import { NOW_MS } from './times.ts';

/** An event of EC2 that EventBridge has just delivered. */
export function anInterruptionEvent(type: string, detail: unknown, envelope: object = {}): unknown {
  return { version: '0', source: 'aws.ec2', 'detail-type': type, time: formatTime(NOW_MS), detail, ...envelope };
}

/** An event about i-1 by default. */
export function anInstanceEvent(type: string, detail: object = {}): unknown {
  return anInterruptionEvent(type, { 'instance-id': 'i-1', ...detail });
}
