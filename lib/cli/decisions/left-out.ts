import { counted } from '../../apis/counted.ts';
import type { DecisionArchive, DecisionLog } from '../../ports/decision-log.ts';
import { UnreadableError } from '../../ports/errors.ts';

type Noun = readonly [one: string, many?: string];

/** What commands read of a log. */
export type ReadLog = Pick<DecisionLog, 'list' | 'marks' | 'usage'>;

/**
 * Opens a log whose large records are in a bucket that is not read. After a read that left records out, `write` gets one line with their
 * number and what to do. A log reads whole days, so some of them may be older than the period of the command.
 */
export function withoutBucket(open: (archive: DecisionArchive) => ReadLog, write: (line: string) => void): ReadLog {
  const missing = new Set<string>();
  const log = open({
    put: async (key) => notRead(key),
    async get(key) {
      missing.add(key);
      return notRead(key);
    },
  });
  let written = 0;
  async function writingCount<Found>(noun: Noun, read: Promise<Found>): Promise<Found> {
    const found = await read;
    const more = missing.size - written;
    written = missing.size;
    if (more > 0)
      write(
        `${counted(more, ...noun)} of these days ${more === 1 ? 'is' : 'are'} left out, because the bucket of the deployment is not read: ` +
          'add --bucket NAME (output BodiesBucketName)\n',
      );
    return found;
  }
  return {
    list: async (cluster, range) => writingCount(['record'], log.list(cluster, range)),
    usage: async (cluster, range) => writingCount(['hour of usage', 'hours of usage'], log.usage(cluster, range)),
    marks: async (cluster) => log.marks(cluster),
  };
}

function notRead(key: string): never {
  throw new UnreadableError(`${key} is in the bucket of the deployment, which is not read`);
}
