import { randomUUID } from 'node:crypto';

/** As EventBridge would send it; only AWS itself may put events of aws.ec2 on a bus. */
export function spotWarning(instanceId: string, time = '2026-01-31T08:00:00Z'): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    account: '123456789012',
    region: 'us-east-1',
    time,
    resources: [],
    detail: { 'instance-id': instanceId, 'instance-action': 'terminate' },
  });
}
