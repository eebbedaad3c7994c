import { beforeEach, expect, test } from 'vitest';
import { answerSecretRequest, type SecretRuntime } from '../../../lib/operator/lambda/secret-resource.ts';
import { wireWebhookSecret } from '../../../lib/operator/wiring/secrets/webhook-secret.ts';
import { textAt } from '../../stack/json.ts';

const CREATE = {
  RequestType: 'Create',
  ResponseURL: 'https://answers.test/1',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Secret',
};
const { newText } = wireWebhookSecret({ AWS_REGION: 'eu-west-3' });

let answers: unknown[];
let errors: string[];

const runtime: SecretRuntime = {
  telemetry: { error: (message, cause) => void errors.push(`${message}: ${String(cause)}`) },
  put: async (_, body) => void answers.push(JSON.parse(body)),
  isAnswerAddress: (url) => url.startsWith('https://answers.test/'),
  newText,
};

beforeEach(() => {
  [answers, errors] = [[], []];
});

test('a new secret is an attribute that CloudFormation does not show, under a name that reveals nothing of it', async () => {
  await answerSecretRequest(runtime, CREATE);
  expect(answers).toMatchObject([
    { Status: 'SUCCESS', NoEcho: true, StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Secret' },
  ]);
  const [secret, name] = [textAt(answers[0], 'Data', 'Secret'), textAt(answers[0], 'PhysicalResourceId')];
  expect(secret).toMatch(/^[A-Za-z0-9]{40}$/);
  expect(name).toMatch(/^webhook-secret-[A-Za-z0-9]{12}$/);
  expect(secret).not.toContain(name.slice(-12));
});

test('no two secrets and no two names are equal', async () => {
  for (let count = 0; count < 100; count += 1) await answerSecretRequest(runtime, CREATE);
  for (const path of [['Data', 'Secret'], ['PhysicalResourceId']])
    expect(new Set(answers.map((answer) => textAt(answer, ...path))).size).toBe(100);
});

test('a deleted secret is forgotten', async () => {
  await answerSecretRequest(runtime, { ...CREATE, RequestType: 'Delete', PhysicalResourceId: 'webhook-secret-a' });
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'webhook-secret-a' }]);
  expect(answers).not.toMatchObject([{ Data: expect.anything() }]);
});

test('a secret is sent only to CloudFormation', async () => {
  await answerSecretRequest(runtime, { ...CREATE, ResponseURL: 'https://elsewhere.test/1' });
  await answerSecretRequest(runtime, { detail: 'an event' });
  expect(answers).toEqual([]);
  expect(errors).toEqual(['event refused: Error: ResponseURL is not an address of CloudFormation: elsewhere.test']);
});
