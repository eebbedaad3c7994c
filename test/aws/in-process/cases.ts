import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Command, Target } from './commands.ts';

/** Sequences at the limits of DynamoDB, and requests that it refuses. */

interface Case {
  readonly name: string;
  readonly commands: (target: Target) => readonly Command[];
}

/** Writes one command after the other for the items of a partition. */
function on({ TableName, partitions: [pk = ''] }: Target) {
  const key = (sk: string) => marshall({ pk, sk });
  return {
    TableName,
    pk,
    key,
    put: (sk: string, more: Readonly<Record<string, AttributeValue>> = {}, rest: object = {}) =>
      new PutItemCommand({ TableName, Item: { ...key(sk), ...more }, ...rest }),
    update: (UpdateExpression: string | undefined, values: object = {}, rest: object = {}) =>
      new UpdateItemCommand({
        TableName,
        Key: key('a'),
        UpdateExpression,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshall(values) }),
        ...rest,
      }),
    check: (ConditionExpression: string, values: object = {}, rest: object = {}) =>
      new DeleteItemCommand({
        TableName,
        Key: key('none'),
        ConditionExpression,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshall(values) }),
        ...rest,
      }),
    list: (rest: object = {}) =>
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: marshall({ ':pk': pk }),
        ...rest,
      }),
  };
}

const text = (bytes: number): AttributeValue => ({ S: 'x'.repeat(bytes) });
const KB = 1024;

export const CASES: readonly Case[] = [
  {
    name: 'an item of 400 KB with its names is the largest',
    commands(target) {
      const { put, update, pk, list } = on(target);
      const most = 400 * KB - (pk.length + 1 + 'pkskbody'.length);
      return [
        put('a', { body: text(most) }),
        put('b', { body: text(most + 1) }),
        put('c', { body: { B: new Uint8Array(most) } }),
        update('SET n = :n', { ':n': 1 }),
        update('REMOVE body'),
        update('SET n = :n', { ':n': 1 }),
        update('SET body = :body', { ':body': 'x'.repeat(most) }),
        list({ ProjectionExpression: 'sk' }),
      ];
    },
  },
  {
    name: 'a query reads 1 MB a page',
    commands(target) {
      const { put, pk, list, key } = on(target);
      const rest = pk.length + 2 + 'pkskbody'.length;
      const names = Array.from({ length: 9 }, (_, at) => `a${at}`);
      const after = (sk: string) => list({ ProjectionExpression: 'sk', ExclusiveStartKey: key(sk) });
      return [
        ...names.map((sk) => put(sk, { body: text(300 * KB - rest) })),
        list({ ProjectionExpression: 'sk' }),
        ...names.map(after),
        after('a00'),
        after('b'),
        ...names.map((sk) => put(sk, { body: text(256 * KB - rest) })),
        list({ ProjectionExpression: 'sk' }),
        ...names.map(after),
        list({ ProjectionExpression: 'sk', ScanIndexForward: false }),
        list({ ProjectionExpression: 'sk', ScanIndexForward: false, ExclusiveStartKey: key('a3') }),
        list({ ProjectionExpression: 'sk', Limit: 2 }),
        list({ ProjectionExpression: 'sk', Limit: 2, ExclusiveStartKey: key('a6') }),
      ];
    },
  },
  {
    name: 'keys have a type and a length',
    commands(target) {
      const { put, TableName, pk, key, list } = on(target);
      return [
        put(''),
        put('x'.repeat(1_024)),
        put('x'.repeat(1_025)),
        new PutItemCommand({ TableName, Item: marshall({ pk: 'x'.repeat(2_048), sk: 'a' }) }),
        new PutItemCommand({ TableName, Item: marshall({ pk: 'x'.repeat(2_049), sk: 'a' }) }),
        new PutItemCommand({ TableName, Item: marshall({ pk, sk: 1 }) }),
        new PutItemCommand({ TableName, Item: marshall({ pk }) }),
        new GetItemCommand({ TableName, Key: marshall({ pk }) }),
        new GetItemCommand({ TableName, Key: marshall({ pk, sk: 'a', more: 1 }) }),
        new GetItemCommand({ TableName, Key: marshall({ pk, sk: 1 }) }),
        new GetItemCommand({ TableName: 'another', Key: key('a') }),
        list({ ExclusiveStartKey: marshall({ pk: 'another', sk: 'a' }) }),
        list({ Limit: 0 }),
      ];
    },
  },
  {
    name: 'values that cannot be stored are refused',
    commands(target) {
      const { put } = on(target);
      const values: readonly AttributeValue[] = [
        { N: 'one' },
        { N: '' },
        { N: '1e126' },
        { N: '9.99e125' },
        { N: '1e-130' },
        { N: '1e-131' },
        { N: '1234567890123456789012345678901234567890' },
        { N: '12345678901234567890123456789012345678' },
        { N: '1e200' },
        { N: '+1' },
        { N: '.5' },
        { N: '5.' },
        { N: ' 5' },
        { SS: [] },
        { SS: ['a', 'a'] },
        { NS: ['1', '1.0'] },
        { BS: [new Uint8Array([1]), new Uint8Array([1])] },
        { S: '' },
        { B: new Uint8Array() },
        nested(30),
        nested(31),
        nested(32),
        nested(33),
      ];
      return values.flatMap((value, at) => [put(`${at}`, { value }), on(target).list({ ProjectionExpression: 'sk' })]);
    },
  },
  {
    name: 'expressions with mistakes are refused before the item is read',
    commands(target) {
      const { check, update, put } = on(target);
      const wrong: readonly string[] = [
        '',
        ' ',
        'a',
        'a =',
        'a = b = c',
        'a = :v AND',
        '(a = :v',
        '((a = :v))',
        '(a = :v) AND ((a = :v))',
        '(a = :v)',
        'NOT a = :v',
        'not a = :v and a <> :v Or a = :v',
        'a == :v',
        'a != :v',
        'a = :missing',
        '#missing = :v',
        'status = :v',
        'a.name = :v',
        'a = a',
        'a > a',
        ':v = :v',
        'exists(a)',
        'ATTRIBUTE_EXISTS(a)',
        'attribute_exists(:v)',
        'attribute_exists(a, b)',
        'begins_with(a)',
        'begins_with(a, a)',
        'contains(a, a)',
        'contains(:v, :v)',
        'begins_with(:v, :v)',
        'attribute_type(:v, :v)',
        'size(size(a)) = :v',
        'a BETWEEN a AND b',
        'a BETWEEN b AND a',
        'a IN (b, a)',
        'size(a) BETWEEN :v AND :v',
        'begins_with(size(a), :v)',
        'a.b = a.b',
        'begins_with(:v, a)',
        'contains(:v, a)',
        'size(a)',
        'size(a) = size(b)',
        'size(:v) = a',
        'attribute_type(a, :v)',
        'attribute_type(a, b)',
        'a BETWEEN :v AND :v',
        'a BETWEEN b AND :v',
        'a IN ()',
        'a IN (:v',
        'a IN (a)',
        'a[x] = :v',
        'a[1 = :v',
        'a..b = :v',
        '_a = :v',
        'a_b = :v',
        '1a = :v',
        'a; = :v',
        'attribute_not_exists(pk) OR a = :v AND b = :v',
      ];
      return [
        ...wrong.map((one) => check(one, one.includes(':v') ? { ':v': 'a' } : {})),
        ...wrong.map((one) => check(one, one.includes(':v') ? { ':v': 1 } : {})),
        check('a = :v', { ':v': 1, ':unused': 1 }),
        check('attribute_exists(a)', {}, { ExpressionAttributeNames: { '#unused': 'a' } }),
        check('attribute_exists(#a)', {}, { ExpressionAttributeNames: { '#a': 'status' } }),
        check('attribute_exists(a)', {}, { ExpressionAttributeNames: {} }),
        check('attribute_exists(a)', {}, { ExpressionAttributeValues: {} }),
        put('a', {}, { ExpressionAttributeValues: marshall({ ':v': 1 }) }),
        check(`a IN (${Array.from({ length: 100 }, () => ':v').join(', ')})`, { ':v': 1 }),
        check(`a IN (${Array.from({ length: 101 }, () => ':v').join(', ')})`, { ':v': 1 }),
        check(`attribute_exists(${'a'.repeat(4_000)}) OR attribute_exists(${'b'.repeat(255)})`),
        update(undefined),
        update(''),
        update('SET'),
        update('SET a'),
        update('SET a = :v', {}),
        update('SET a = :v, a = :v', { ':v': 1 }),
        update('SET a = :v, a.b = :v', { ':v': 1 }),
        update('SET a[0] = :v, a.b = :v', { ':v': 1 }),
        update('SET a = :v SET b = :v', { ':v': 1 }),
        update('SET pk = :v', { ':v': 'x' }),
        update('REMOVE sk'),
        update('SET status = :v', { ':v': 1 }),
        update('SET a = b', {}),
        update('SET a = b + :v', { ':v': 1 }),
        update('SET a = if_not_exists(b, :v) + :v', { ':v': 1 }),
        update('SET b = a + a + a', {}),
        update('SET a = :v + :v', { ':v': 'x' }),
        update('SET a = list_append(:v, :v)', { ':v': 'x' }),
        update('SET a = unknown(a, :v)', { ':v': 'x' }),
        update('SET a.b = :v', { ':v': 1 }),
        update('SET n[0] = :v', { ':v': 1 }),
        update('REMOVE n.b'),
        update('ADD n :v', { ':v': 'x' }),
        update('DELETE n :v', { ':v': 1 }),
        update('ADD n :v DELETE a :v', { ':v': new Set(['x']) }),
        update('ADD n :v', { ':v': 1 }),
        update('ADD n :v', { ':v': new Set([1]) }),
        update('UPSERT n = :v', { ':v': 1 }),
      ];
    },
  },
  {
    name: 'lists and maps are changed by their paths',
    commands(target) {
      const { put, update, list, TableName, key } = on(target);
      const get = (ProjectionExpression: string) =>
        new GetItemCommand({ TableName, Key: key('a'), ProjectionExpression });
      return [
        put('a', { l: { L: ['0', '1', '2', '3'].map((N) => ({ N })) }, m: { M: { x: { N: '1' }, y: { L: [] } } } }),
        update('REMOVE l[0], l[2], l[9]'),
        list(),
        update('SET l[0] = :v, l[7] = :v, l[5] = :w', { ':v': 8, ':w': 9 }),
        list(),
        update('SET l[1] = :v REMOVE l[0]', { ':v': 5 }),
        list(),
        update('SET m.y[3] = m.x, m.z = :v REMOVE m.x', { ':v': 5 }),
        list(),
        update('SET l = list_append(l, m.y), c = l', {}),
        list(),
        update('SET m.none.x = :v', { ':v': 5 }),
        update('SET l[0].x = :v', { ':v': 5 }),
        update('SET none[0] = :v', { ':v': 5 }),
        update('REMOVE none.x'),
        update('REMOVE m.none.x'),
        update('SET m.y[0].x = :v', { ':v': 5 }),
        list(),
        get('l[0], l[2]'),
        get('l[2], l[0], m.y[0]'),
        get('m.none'),
        get('l[0], l'),
        get('l[0], l[0]'),
        get('l.x, l[0]'),
      ];
    },
  },
  {
    name: 'a transaction has 1 to 100 writes, on different items, and at most 4 MB',
    commands(target) {
      const { TableName, key, list } = on(target);
      const puts = (count: number, more: Readonly<Record<string, AttributeValue>> = {}) =>
        Array.from({ length: count }, (_, at) => ({ Put: { TableName, Item: { ...key(`t${at}`), ...more } } }));
      const failing = { ConditionCheck: { TableName, Key: key('none'), ConditionExpression: 'attribute_exists(pk)' } };
      return [
        transact(),
        transact(...puts(100)),
        transact(...puts(101)),
        transact(...puts(1), ...puts(1)),
        transact(...puts(1), { Delete: { TableName, Key: key('t0') } }),
        transact({}),
        transact({ ...puts(1)[0], Delete: { TableName, Key: key('t1') } }),
        transact(...puts(10, { body: text(390 * KB) })),
        transact(...puts(11, { body: text(390 * KB) })),
        transact(...puts(2), failing),
        transact({ ConditionCheck: { TableName, Key: key('none'), ConditionExpression: '' } }),
        transact(...puts(1), { Put: { TableName: 'another', Item: key('u') } }),
        list({ ProjectionExpression: 'sk' }),
      ];
    },
  },
  {
    name: 'a transaction with the token of an answered one is not made again',
    commands(target) {
      const { TableName, key, list, pk } = on(target);
      const add = (sk: string) =>
        new TransactWriteItemsCommand({
          ClientRequestToken: pk,
          TransactItems: [
            {
              Update: {
                TableName,
                Key: key(sk),
                UpdateExpression: 'ADD n :one',
                ExpressionAttributeValues: marshall({ ':one': 1 }),
              },
            },
          ],
        });
      return [add('a'), add('a'), list(), add('b'), list()];
    },
  },
  {
    name: 'a batch has 1 to 25 writes or 100 gets, on different items',
    commands(target) {
      const { TableName, key, list } = on(target);
      const keys = (count: number) => Array.from({ length: count }, (_, at) => key(`k${at}`));
      const write = (count: number, more: readonly ReturnType<typeof key>[] = []) =>
        new BatchWriteItemCommand({
          RequestItems: { [TableName]: [...keys(count), ...more].map((Item) => ({ PutRequest: { Item } })) },
        });
      const get = (count: number, more: readonly ReturnType<typeof key>[] = []) =>
        new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [...keys(count), ...more] } } });
      return [write(0), write(25), write(26), write(1, keys(1)), get(0), get(100), get(101), get(1, keys(1)), list()];
    },
  },
];

function nested(depth: number): AttributeValue {
  return depth === 0 ? { N: '1' } : { L: [nested(depth - 1)] };
}

function transact(...TransactItems: readonly TransactWriteItem[]): Command {
  return new TransactWriteItemsCommand({ TransactItems: [...TransactItems] });
}
