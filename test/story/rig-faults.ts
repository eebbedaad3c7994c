/** Faults of the rig: in its API server, its etcd, the DynamoDB of the functions, and the functions themselves. */
import { variable } from '../aws/deployment.ts';
import { forgetConnections } from '../cluster/support/api-client.ts';
import { listAt, textAt } from '../stack/json.ts';
import { CLUSTER } from './account.ts';

export type RigAction = 'restart-api-server' | 'compact-etcd' | 'throttle-dynamodb' | 'relieve-dynamodb';

/** *Shape:* the result of the action: for `relieve-dynamodb`, the number of refused calls. */
export async function actOnRig(action: RigAction): Promise<unknown> {
  const response = await fetch(`${variable('KERF_RIG_CONTROL')}/${action}`, { method: 'POST' });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${action}: ${answer}`);
  if (action === 'restart-api-server') forgetConnections();
  return JSON.parse(answer);
}

/** Sends a tick to a function, `times` times at once: each to its own invocation in its own process. */
export async function invokeAtOnce(name: 'Provisioning' | 'Lifecycle' | 'Disruption', times: number): Promise<void> {
  const functionName = await functionNamed(name);
  const body = JSON.stringify({ cluster: CLUSTER, reason: 'tick' });
  const path = `/2015-03-31/functions/${functionName}/invocations`;
  const invocations = Array.from({ length: times }, async (_, index) => {
    const attributes = {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(Date.now()),
      SenderId: 'test',
      ApproximateFirstReceiveTimestamp: String(Date.now()),
    };
    const record = { messageId: `${name}-${index}`, receiptHandle: '', body, attributes, messageAttributes: {} };
    const event = { Records: [{ ...record, eventSource: 'aws:sqs', eventSourceARN: '', awsRegion: 'us-east-1' }] };
    const response = await callLambda(path, { method: 'POST', body: JSON.stringify(event) });
    if (!response.ok) throw new Error(`${functionName}: ${response.status} ${await response.text()}`);
  });
  await Promise.all(invocations);
}

async function functionNamed(name: string): Promise<string> {
  const listed: unknown = await (await callLambda('/2015-03-31/functions?MaxItems=1000', { method: 'GET' })).json();
  const names = listAt(listed, 'Functions').map((each) => textAt(each, 'FunctionName'));
  const found = names.find((each) => each.includes(`-${name}Function`));
  if (found === undefined) throw new Error(`no function ${name} among ${names.join(', ')}`);
  return found;
}

/** The project has no Lambda client. The emulator reads the account from the header and checks no signature. */
async function callLambda(path: string, init: { readonly method: string; readonly body?: string }): Promise<Response> {
  const scope = `${variable('AWS_ACCESS_KEY_ID')}/20260101/${variable('AWS_REGION')}/lambda/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  return await fetch(`${variable('AWS_ENDPOINT_URL')}${path}`, { ...init, headers: { authorization } });
}
