/**
 * The rights of the functions on the table, against the calls of the providers: each store method that a function uses is
 * recorded while the contract suites run it, and IAM is asked about each recorded call.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { handleInterruption } from '../../lib/controllers/interruption.ts';
import type { CallBudget } from '../../lib/ports/call-budget.ts';
import type { CatalogueStore } from '../../lib/ports/catalogue-store.ts';
import type { DecisionLog } from '../../lib/ports/decision-log.ts';
import type { Leases } from '../../lib/ports/leases.ts';
import type { NodeClaimStore } from '../../lib/ports/node-claim-store.ts';
import { DynamoDbCallBudget } from '../../lib/providers/dynamodb/call-budget.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbDecisionLog } from '../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import type { TableOptions } from '../../lib/providers/dynamodb/table.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { anInstanceEvent, anInterruptionEvent } from '../builders/interruptions.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { NOW_MS } from '../builders/times.ts';
import { callBudgetContract } from '../contract/call-budget.ts';
import { catalogueStoreContract } from '../contract/catalogue-store.ts';
import { decisionLogContract } from '../contract/decisions/decision-log.ts';
import { leasesContract } from '../contract/leases.ts';
import { nodeClaimStoreContract } from '../contract/node-claim-store.ts';
import { type InProcessTableOptions, inProcessTable } from '../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../fakes/memory-bodies.ts';
import { memoryDecisionArchive } from '../fakes/memory-decision-log.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { type CombinedRequest, combinedRequestsOf, requestsOf, type TableRequest } from './iam/dynamodb-requests.ts';
import { isAllowedBy, textsOf } from './iam/evaluate.ts';
import { at, listAt } from './json.ts';
import { resolved } from './resolve.ts';

/** A release of a claim is another kind of update: only termination and lifecycle release claims. */
type Method =
  | 'releaseNodeClaim'
  | keyof NodeClaimStore
  | keyof CatalogueStore
  | keyof Leases
  | keyof CallBudget
  | keyof DecisionLog;

const CLAIMS = ['listNodeClaims', 'readNodeClaim', 'updateNodeClaim'] as const satisfies readonly Method[];
const BUDGET = ['take', 'throttled'] as const satisfies readonly Method[];
const CLUSTER: readonly Method[] = [
  ...CLAIMS,
  ...BUDGET,
  'releaseNodeClaim',
  'createNodeClaim',
  'readEpoch',
  'recordDecision',
  'openDecisions',
  'hasOpenDecisions',
  'closeDecision',
  'recordShadow',
  'startCommand',
  'listCommands',
  'endCommand',
  'readPassMemory',
  'writePassMemory',
  'readUnusedLaunches',
  'writeUnusedLaunches',
  'recordMove',
  'listMoves',
  'nominate',
  'listNominations',
  'setStandby',
  'see',
  'acquire',
  'renew',
  'release',
  'readCatalogue',
  'markUnavailable',
  'listUnavailable',
  'learnMemory',
  'listLearnedMemory',
  'write',
  'writeUsage',
];

/** The methods that each function uses, by the start of the logical id of its role. */
const USED: Readonly<Record<string, readonly Method[]>> = {
  Provisioning: CLUSTER,
  Lifecycle: [...CLUSTER, 'findNodeClaim'],
  Disruption: CLUSTER,
  Termination: CLUSTER,
  Interruption: [...CLAIMS, ...BUDGET, 'findNodeClaim', 'isOnStandby', 'markUnavailable', 'write'],
  Catalogue: [...BUDGET, 'readCatalogue', 'writeCatalogue'],
  Installer: CLAIMS,
  Widgets: ['list', 'usage', 'listNodeClaims'],
};

const REGION = 'eu-west-3';
const running = new AsyncLocalStorage<string>();
const recorded = new Map<string, Map<string, TableRequest>>();
const combined = new Map<string, Map<string, CombinedRequest>>();

function record(command: object): void {
  const method = running.getStore() ?? 'no method';
  for (const request of requestsOf(command))
    keep(recorded, method, { ...request, partition: inExample(request.partition) });
  for (const request of combinedRequestsOf(command)) {
    keep(combined, method, { ...request, partitions: request.partitions.map(inExample) });
  }
}

function keep<Request>(all: Map<string, Map<string, Request>>, method: string, request: Request): void {
  const known = all.get(method) ?? new Map<string, Request>();
  all.set(method, known);
  known.set(JSON.stringify(request), request);
}

/** Contracts use a new cluster and instance in each test. */
function inExample(partition: string): string {
  return partition.replace(/^cluster#.*/, 'cluster#blue').replace(/^instance#.*/, 'instance#i-1');
}

function recordingTable(options: InProcessTableOptions): TableOptions {
  const { client, tableName } = inProcessTable(options);
  const send: typeof client.send = async (command: object, ...rest: readonly unknown[]) => {
    record(command);
    return await Reflect.apply(client.send, client, [command, ...rest]);
  };
  return { client: { send }, tableName };
}

/** The port, whose calls are recorded under the name of the method. */
function named<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...input: readonly unknown[]): unknown =>
        running.run(methodOf(String(key), input[0]), () => Reflect.apply(member, target, input));
    },
  });
}

function methodOf(name: string, input: unknown): string {
  return name === 'updateNodeClaim' && at(input, 'releasedAtMs') !== undefined ? 'releaseNodeClaim' : name;
}

const STANDING = { now: () => NOW_MS };

describe('recorded', () => {
  nodeClaimStoreContract('recorded', async () => ({
    store: named(
      new DynamoDbNodeClaimStore({ ...recordingTable({ clock: STANDING }), bodies: memoryBodies(), clock: STANDING }),
    ),
  }));
  leasesContract('recorded', async (clock) => {
    const table = recordingTable({ clock });
    const make = () => named(new DynamoDbLeases({ ...table, clock }));
    return { leases: [make(), make()], store: named(new DynamoDbNodeClaimStore(table)) };
  });
  catalogueStoreContract('recorded', async () => ({
    store: named(new DynamoDbCatalogueStore({ ...recordingTable({ clock: STANDING }), region: REGION })),
  }));
  decisionLogContract('recorded', async () => {
    const archive = memoryDecisionArchive();
    return { log: named(new DynamoDbDecisionLog({ ...recordingTable({ clock: STANDING }), archive })), archive };
  });
  callBudgetContract('recorded', async (world) => {
    const options = { ...recordingTable(world), ...world, region: REGION };
    return { budgets: [named(new DynamoDbCallBudget(options)), named(new DynamoDbCallBudget(options))] };
  });
});

/** The statements of a role on the table. */
function statementsOf(role: string): readonly unknown[] {
  const template = templateOf([{ name: 'blue' }, { name: 'green' }]);
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => propertiesOf(template, type))
    .filter((policy) => textsOf(resolved(listAt(policy, 'Roles'))).some((id) => id.startsWith(`${role}Role`)))
    .flatMap((policy) => listAt(policy, 'PolicyDocument', 'Statement'))
    .map(resolved)
    .filter((statement) => textsOf(at(statement, 'Action')).some((action) => action.startsWith('dynamodb:')));
}

const TABLE = 'arn:StateTable962DE04C';

function isAllowed(role: string, { partition, ...request }: TableRequest): boolean {
  return isAllowedTogether(role, { ...request, partitions: [partition] });
}

function isAllowedTogether(role: string, { action, partitions, attributes }: CombinedRequest): boolean {
  const context = {
    'dynamodb:LeadingKeys': partitions,
    ...(attributes.length > 0 && { 'dynamodb:Attributes': attributes }),
  };
  return isAllowedBy(statementsOf(role), { action: `dynamodb:${action}`, resource: TABLE, context });
}

function usedBy(role: string): readonly TableRequest[] {
  return (USED[role] ?? []).flatMap((method) => [...(recorded.get(method)?.values() ?? [])]);
}

describe.each(Object.keys(USED))('the function %s', (role) => {
  test('may make every call of the store methods that it uses', () => {
    const calls = usedBy(role);
    expect(calls.length).toBeGreaterThan(2);
    expect(calls.filter((call) => !isAllowed(role, call))).toEqual([]);
    for (const method of USED[role] ?? []) expect(recorded.has(method), method).toBe(true);
  });

  test('may make every transaction of them, also if DynamoDB asks once for all of its puts', () => {
    const calls = (USED[role] ?? []).flatMap((method) => [...(combined.get(method)?.values() ?? [])]);
    expect(calls.filter((call) => !isAllowedTogether(role, call))).toEqual([]);
  });

  test('has no right that none of these calls uses: no action, no partition and no attribute', () => {
    const calls = usedBy(role);
    for (const statement of statementsOf(role)) {
      const partitions = textsOf(at(statement, 'Condition', 'ForAllValues:StringLike', 'dynamodb:LeadingKeys'));
      const attributes = listAt(statement, 'Condition', 'ForAllValues:StringEquals', 'dynamodb:Attributes').map(String);
      for (const action of textsOf(at(statement, 'Action'))) {
        const written = new Set<string>();
        for (const partition of partitions.filter((one) => one !== 'cluster#green')) {
          const uses = calls.filter(
            (call) => `dynamodb:${call.action}` === action && call.partition === inExample(partition),
          );
          expect(uses.length, `${action} ${partition}`).toBeGreaterThan(0);
          for (const attribute of uses.flatMap((call) => call.attributes)) written.add(attribute);
        }
        expect(
          attributes.filter((one) => !written.has(one)),
          `${action} ${partitions.join(' ')}`,
        ).toEqual([]);
      }
    }
  });

  test('may neither read nor write a cluster that it does not serve, nor write an attribute of its own', () => {
    for (const call of usedBy(role).filter(({ partition }) => partition === 'cluster#blue')) {
      const elsewhere = { ...call, partition: 'cluster#red' };
      // The installer reads the claims of a cluster that is no longer configured.
      expect(isAllowed(role, elsewhere), JSON.stringify(elsewhere)).toBe(
        role === 'Installer' && call.action === 'Query',
      );
    }
    for (const call of usedBy(role).filter(({ action }) => ['PutItem', 'UpdateItem'].includes(action))) {
      expect(isAllowed(role, { ...call, attributes: [...call.attributes, 'unknown'] })).toBe(false);
      expect(isAllowed(role, { ...call, partition: 'elsewhere#1' })).toBe(false);
    }
  });

  test.each(['Scan', 'BatchWriteItem', 'BatchGetItem', 'PartiQLUpdate', 'DeleteTable', 'ExportTableToPointInTime'])(
    'may not use %s',
    (action) => expect(isAllowed(role, { action, partition: 'cluster#blue', attributes: [] })).toBe(false),
  );
});

/** The events of the whole account reach the function of each network, and those of a cluster whose configuration was removed. */
test.each([
  ['a spot warning', anInstanceEvent('EC2 Spot Instance Interruption Warning')],
  ['a rebalance recommendation', anInstanceEvent('EC2 Instance Rebalance Recommendation')],
  ['a state change', anInstanceEvent('EC2 Instance State-change Notification', { state: 'shutting-down' })],
  [
    'a scheduled change',
    anInterruptionEvent(
      'AWS Health Event',
      { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: [{ entityValue: 'i-1' }] },
      { source: 'aws.health' },
    ),
  ],
])('Interruption may make every call for %s of an instance of a cluster that it does not serve', async (_, event) => {
  const table = inProcessTable({ clock: STANDING });
  await new DynamoDbNodeClaimStore(table).createNodeClaim(launchedClaim({ cluster: 'red' }, { id: 'i-1' }));
  const requests: TableRequest[] = [];
  const send: typeof table.client.send = async (command: object, ...rest: readonly unknown[]) => {
    requests.push(...requestsOf(command));
    return await Reflect.apply(table.client.send, table.client, [command, ...rest]);
  };
  const handled = await handleInterruption(
    {
      store: new DynamoDbNodeClaimStore({ ...table, client: { send } }),
      catalogue: memoryCatalogueStore(),
      messages: { wake: notCalled, publish: notCalled },
      cloud: { instanceOwners: notCalled },
      clock: STANDING,
      clusters: new Set(['blue', 'green']),
      shadows: new Set(),
    },
    event,
    1,
  );
  expect(handled).toEqual({ reports: [], failures: [] });
  expect(requests.map(({ action, partition }) => `${action} ${partition}`)).toEqual(['GetItem instance#i-1']);
  expect(requests.filter((request) => !isAllowed('Interruption', request))).toEqual([]);
});

async function notCalled(): Promise<never> {
  return await Promise.reject(new Error('nothing is done for the instance of another cluster'));
}

test.each([
  ['Catalogue', { action: 'PutItem', partition: 'cluster#blue', attributes: ['pk', 'sk', 'payload'] }],
  ['Catalogue', { action: 'GetItem', partition: 'cluster#blue', attributes: [] }],
  ['Interruption', { action: 'UpdateItem', partition: 'cluster#blue', attributes: ['pk', 'sk', 'epochCount'] }],
  ['Interruption', { action: 'DeleteItem', partition: 'cluster#blue', attributes: ['pk', 'sk'] }],
  ['Interruption', { action: 'PutItem', partition: `catalogue#${REGION}`, attributes: ['pk', 'sk', 'payload'] }],
  ['Installer', { action: 'PutItem', partition: 'cluster#red', attributes: ['pk', 'sk', 'payload'] }],
  ['Installer', { action: 'DeleteItem', partition: 'cluster#blue', attributes: ['pk', 'sk'] }],
  ['Provisioning', { action: 'PutItem', partition: `catalogue#${REGION}`, attributes: ['pk', 'sk', 'payload'] }],
  ['Provisioning', { action: 'PutItem', partition: 'catalogue#us-east-1', attributes: ['pk', 'sk', 'payload'] }],
  ['Webhook', { action: 'GetItem', partition: 'cluster#blue', attributes: [] }],
] as const)('%s may not make the call %j', (role, call) => {
  expect(isAllowed(role, call)).toBe(false);
});
