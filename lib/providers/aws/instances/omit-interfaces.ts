import { Readable } from 'node:stream';
import type { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { HttpResponse } from '@smithy/core/protocols';
import { withoutInterfaces } from './without-interfaces.ts';

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
