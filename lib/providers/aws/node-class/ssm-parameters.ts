import { GetParametersCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { translated } from '../client/errors.ts';

/** *Shape:* values by the requested names, without missing parameters. *Errors:* UnreachableError, RefusedError. */
export type ReadParameters = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** The maximum number of names in a GetParameters call. */
const MAX_NAMES = 10;

/** Reads SSM parameters by name or ARN. */
export function ssmParameters(client: SSMClient): ReadParameters {
  return async (names) => {
    const starts = Array.from({ length: Math.ceil(names.length / MAX_NAMES) }, (_, batch) => batch * MAX_NAMES);
    const batches = starts.map((start) => readBatch(client, names.slice(start, start + MAX_NAMES)));
    return new Map((await Promise.all(batches)).flat());
  };
}

async function readBatch(client: SSMClient, names: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const command = new GetParametersCommand({ Names: [...names] });
  const answer = await translated(`read SSM parameters ${names.join(', ')}`, () => client.send(command));
  return (answer.Parameters ?? []).flatMap(({ Name, ARN, Selector = '', Value }) => {
    const asked = names.find((name) => name === `${Name}${Selector}` || name === `${ARN}${Selector}`);
    return asked === undefined || Value === undefined ? [] : [[asked, Value] as const];
  });
}
