import { formatTime } from '../../lib/apis/formats/time.ts';
import { NOW_MS } from './times.ts';

/** What EventBridge delivers, of EC2 and of just now. */
export function anInterruptionEvent(type: string, detail: unknown, envelope: object = {}): unknown {
  return { version: '0', source: 'aws.ec2', 'detail-type': type, time: formatTime(NOW_MS), detail, ...envelope };
}

/** About i-1, unless it says otherwise. */
export function anInstanceEvent(type: string, detail: object = {}): unknown {
  return anInterruptionEvent(type, { 'instance-id': 'i-1', ...detail });
}
