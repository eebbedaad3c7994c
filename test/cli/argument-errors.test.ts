import { expect, test } from 'vitest';
import { failureText } from '../../lib/cli/argument-errors.ts';
import { runKerf } from './run-kerf.ts';

const CASES: readonly (readonly [name: string, args: readonly string[], message: string])[] = [
  ['an unknown command', ['simulat'], '"simulat" is not a command: write simulate, or see kerf --help'],
  ['a short command that is like no other', ['nope'], '"nope" is not a command: see kerf --help'],
  ['a command that is like no other', ['zzzzzzz'], '"zzzzzzz" is not a command: see kerf --help'],
  [
    'a flag in place of a command',
    ['plan', '--snapshot', 'a.json'],
    'no command is given before --snapshot: write one, such as kerf plan provisioning, or see kerf --help',
  ],
  [
    'a misspelled flag',
    ['simulate', 'a.yaml', '--sed', '1'],
    '--sed is not a flag of this command: write --seed, or see --help',
  ],
  ['an unknown letter', ['simulate', 'a.yaml', '-x'], '-x is not a flag of this command: see --help'],
  ['a missing flag', ['plan', 'disruption'], '--snapshot is required: add --snapshot and its value, or see --help'],
  [
    'a value that cannot be read',
    ['simulate', 'a.yaml', '--for', 'long'],
    '--for: "long" is not a duration: write a duration such as 90s, 30m or 2h',
  ],
  [
    'a value that is not allowed',
    ['simulate', 'a.yaml', '--output', 'yml'],
    '--output: "yml" is not allowed; write text or json',
  ],
  [
    'a value of a flag that has none',
    ['convert', 'a.yaml', '--write=yaml'],
    '--write: "yaml" is not allowed; write --write without a value',
  ],
  ['no file', ['simulate'], 'no PATH is given: add at least one'],
  [
    'an argument too many',
    ['adopt', 'all', '--cluster', 'c', '--table', 't'],
    '"all" is an unexpected argument: remove it',
  ],
];

test.for(CASES)('%s is an error with what to do', async ([, args, message]) => {
  const { stderr, code } = await runKerf(args, { 'a.yaml': '' });
  expect({ stderr: stderr.trim(), code }).toEqual({ stderr: message, code: 2 });
});

test.each([
  ['getaddrinfo ENOTFOUND sqs.mars.amazonaws.com', 'check the network, the region and the address'],
  ['connect ECONNREFUSED 127.0.0.1:443', 'check the address and its port'],
  ['connect ETIMEDOUT 10.0.0.1:443', 'a private endpoint is reachable from its VPC only'],
  ['Kubernetes API: GET /api/v1/nodes: no answer: no connection within 3000 ms', 'a private endpoint'],
  ['no answer: self-signed certificate in certificate chain', 'check the context of the kubeconfig'],
  ['describe EKS cluster a: ExpiredTokenException: the token is expired', 'sign in again (aws sso login)'],
  ['describe instance types: AuthFailure: AWS was not able to validate the credentials', 'check AWS_PROFILE'],
  ['read queue: AccessDenied: not allowed', 'the IAM identity of the shell needs this permission'],
])('the failure "%s" says what to check', (message, hint) => {
  expect(failureText(new Error(message))).toMatch(`${message}; `);
  expect(failureText(new Error(message))).toContain(hint);
});

test('other failures are printed as they are, on one line', () => {
  expect(failureText(new Error('the plugin failed:\n  no permission\n'))).toBe('the plugin failed: no permission');
});
