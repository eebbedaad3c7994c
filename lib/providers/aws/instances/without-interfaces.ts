import { Readable } from 'node:stream';
import type { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { HttpResponse } from '@smithy/core/protocols';

const BEGIN = '<networkInterfaceSet>';
const END = '</networkInterfaceSet>';

/**
 * Removes the network interfaces from the answer before the SDK reads it. With the VPC CNI, an instance has up to 15 of them with 50
 * addresses each, which are nine tenths of the answer and of the memory and time that reading it takes. Kerf uses none of them.
 */
export function omitInterfaces(command: DescribeInstancesCommand): DescribeInstancesCommand {
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (HttpResponse.isInstance(response) && response.body instanceof Readable) {
        response.body = Readable.from(withoutInterfaces(response.body));
      }
      return result;
    },
    // Between the network and what reads the answer.
    { step: 'deserialize', priority: 'low', name: 'omitInterfaces' },
  );
  return command;
}

/** *Shape:* the same bytes without the elements. *Errors:* those of the chunks. */
export async function* withoutInterfaces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest = Buffer.alloc(0);
  let isInside = false;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const mark = isInside ? END : BEGIN;
      const at = rest.indexOf(mark);
      // A mark may be divided between two chunks.
      const upTo = at === -1 ? Math.max(0, rest.length - mark.length + 1) : at;
      if (!isInside && upTo > 0) yield rest.subarray(0, upTo);
      rest = rest.subarray(at === -1 ? upTo : at + mark.length);
      if (at === -1) break;
      isInside = !isInside;
    }
  }
  if (!isInside) yield rest;
}
