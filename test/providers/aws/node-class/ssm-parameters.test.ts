import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { ssmParameters } from '../../../../lib/providers/aws/node-class/ssm-parameters.ts';
import { awsError } from '../aws-error.ts';

const client = new SSMClient({ region: 'us-east-1', maxAttempts: 1 });
const ssm = mockClient(client);
const read = ssmParameters(client);

beforeEach(() => {
  ssm.reset();
});

test('values come by the names that were asked for, an ARN included; what does not exist is left out', async () => {
  const arn = 'arn:aws:ssm:us-east-1:123456789012:parameter/golden';
  ssm.on(GetParametersCommand).resolves({
    Parameters: [
      { Name: '/golden', ARN: arn, Value: 'ami-1' },
      { Name: '/a', Value: 'ami-2' },
    ],
    InvalidParameters: ['/gone'],
  });
  expect(await read([arn, '/a', '/gone'])).toEqual(
    new Map([
      [arn, 'ami-1'],
      ['/a', 'ami-2'],
    ]),
  );
});

test('a version or a label is a part of the name that was asked for, and SSM answers it apart', async () => {
  ssm.on(GetParametersCommand).resolves({
    Parameters: [
      { Name: '/golden', Selector: ':3', Value: 'ami-3' },
      { Name: '/golden', Selector: ':tested', Value: 'ami-2' },
      { Name: '/golden', Value: 'ami-4' },
    ],
  });
  expect(await read(['/golden', '/golden:3', '/golden:tested'])).toEqual(
    new Map([
      ['/golden', 'ami-4'],
      ['/golden:3', 'ami-3'],
      ['/golden:tested', 'ami-2'],
    ]),
  );
});

test('ten names are asked for at a time', async () => {
  ssm.on(GetParametersCommand).resolves({});
  await read(Array.from({ length: 11 }, (_, index) => `/p/${index}`));
  expect(ssm.commandCalls(GetParametersCommand).map((call) => call.args[0].input.Names?.length)).toEqual([10, 1]);
});

test('no names are no call', async () => {
  expect(await read([])).toEqual(new Map());
  expect(ssm.calls()).toHaveLength(0);
});

test.each([
  ['AccessDeniedException', 400, 'RefusedError'],
  ['ThrottlingException', 400, 'UnreachableError'],
])('%s is a port error with the names of the parameters', async (code, status, name) => {
  ssm.on(GetParametersCommand).rejects(awsError(code, status));
  await expect(read(['/a'])).rejects.toMatchObject({ name, message: expect.stringContaining('/a') });
});
