/** docs/security.md against the stack, the code and the tests. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { securityDocument } from '../scripts/generate/security-document.ts';
import { roleStatements } from '../scripts/generate/security-tables.ts';
import { importsOf } from './imports.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

test('the tables of docs/security.md are current: `npm run generate` writes them', () => {
  expect(PAGE).toBe(securityDocument(PAGE));
});

test('each claim of the threat model names a test that exists', () => {
  const rows = PAGE.slice(PAGE.indexOf('## Threat model'))
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| claim'));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[\w./-]+)`(?: \*([^*]+)\*)?/g)];
    expect(named.length, row).toBeGreaterThan(0);
    for (const [, file = '', title = ''] of named) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      expect(readFileSync(join(ROOT, file), 'utf8'), `${file}: ${title}`).toContain(title);
    }
  }
});

/** The text of every module that the handler of a function loads. */
function codeOf(name: string): string {
  const texts = new Map<string, string>();
  const load = (path: string): void => {
    if (texts.has(path)) return;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const one of importsOf(text)) if (one.startsWith('.')) load(join(dirname(path), one));
  };
  load(join(ROOT, 'functions', name, 'handler.ts'));
  return [...texts.values()].join('\n');
}

/** The AWS service of each client of the SDK, as IAM names it. */
const PREFIXES: Readonly<Record<string, string>> = {
  dynamodb: 'dynamodb',
  ec2: 'ec2',
  eks: 'eks',
  eventbridge: 'events',
  iam: 'iam',
  pricing: 'pricing',
  s3: 's3',
  sqs: 'sqs',
  ssm: 'ssm',
};

/** Commands whose action has another name, or needs others. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'dynamodb:TransactWriteItems': [
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  'ec2:CreateFleet': ['ec2:CreateFleet', 'ec2:RunInstances', 'iam:PassRole', 'iam:CreateServiceLinkedRole'],
  'ec2:CreateLaunchTemplate': ['ec2:CreateLaunchTemplate', 'ec2:CreateTags'],
  'eks:CreateAccessEntry': ['eks:CreateAccessEntry', 'eks:TagResource'],
  'sqs:ChangeMessageVisibilityBatch': ['sqs:ChangeMessageVisibility'],
  // Without ListBucket, S3 answers that access to a missing object is denied.
  's3:GetObject': ['s3:GetObject', 's3:ListBucket'],
};

/** What a function does without a command of the SDK. */
const SIGNED: Readonly<Record<string, string>> = {
  "'arc-zonal-shift'": 'arc-zonal-shift:GetManagedResource',
  "'DescribeStackResource'": 'cloudformation:DescribeStackResource',
};

/** The actions that the code of a function calls. */
function calledBy(name: string): ReadonlySet<string> {
  const code = codeOf(name);
  const clients = [...code.matchAll(/import\s*\{([^}]*)\}\s*from '@aws-sdk\/client-([a-z0-9]+)'/g)];
  const commands = clients.flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/(?:paginate)?(\w+?)(?:Command)?(?=[,\s]|$)/g)].flatMap(([written, command = '']) =>
      written.endsWith('Command') || written.startsWith('paginate') ? [`${PREFIXES[client]}:${command}`] : [],
    ),
  );
  const signed = Object.entries(SIGNED).flatMap(([mark, action]) => (code.includes(mark) ? [action] : []));
  return new Set([...commands.flatMap((command) => ACTIONS[command] ?? [command]), ...signed]);
}

function allowedTo(name: string): ReadonlySet<string> {
  const own = roleStatements().filter(({ role, effect }) => role === name && effect === 'Allow');
  return new Set(own.flatMap(({ actions }) => actions));
}

/** What Lambda and its event sources do with the role of a function. */
const BY_LAMBDA = new Set([
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
]);

/** Of a function that rules call: Lambda sends the dead letter of such a call. The others of these functions send wakes too. */
const FOR_DEAD_LETTERS = new Set(['sqs:SendMessage']);

const CLUSTER_FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination'];
const FUNCTIONS = [
  ...CLUSTER_FUNCTIONS,
  'interruption',
  'catalogue',
  'webhook',
  'webhook-secret',
  'installer',
  'widgets',
];

describe.each(FUNCTIONS)('the role of %s', (name) => {
  test('allows no action that its code never calls', () => {
    const called = calledBy(name);
    const byLambda = name === 'catalogue' ? BY_LAMBDA.union(FOR_DEAD_LETTERS) : BY_LAMBDA;
    expect([...allowedTo(name)].filter((action) => !called.has(action) && !byLambda.has(action))).toEqual([]);
  });
});

test('every action that the code calls is allowed to one of the functions that load it', () => {
  const called = new Set(FUNCTIONS.flatMap((name) => [...calledBy(name)]));
  const allowed = new Set(FUNCTIONS.flatMap((name) => [...allowedTo(name)]));
  expect([...called].filter((action) => !allowed.has(action))).toEqual([]);
});

// The functions of a cluster share one provider, and each calls a part of it. The stores are compared call by call in
// test/stack/table-access.test.ts.
test.each(['interruption', 'catalogue', 'webhook', 'webhook-secret', 'installer', 'widgets'])(
  'every action that the code of %s calls is allowed to it',
  (name) => {
    const allowed = allowedTo(name);
    const called = [...calledBy(name)].filter((action) => !/^(dynamodb|s3):/.test(action));
    expect(called.filter((action) => !allowed.has(action))).toEqual([]);
  },
);
