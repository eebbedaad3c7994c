import type { DecisionArchive } from '../../../ports/decision-log.ts';
import type { Bodies } from '../../../providers/dynamodb/body-bucket.ts';

interface Bucket {
  readonly bodies: Bodies;
  readonly archive: DecisionArchive;
}

/** The bucket of the deployment. The S3 client is loaded with the first object, because most runs never read or write one. */
export function bucketNamed(bucket: string, config: object): Bucket {
  let loaded: Promise<Bucket> | undefined;
  const load = async (): Promise<Bucket> => {
    const { BodyBucket, BucketArchive, bucketClient } = await import('../../../providers/dynamodb/body-bucket.ts');
    const options = { client: bucketClient(config), bucket };
    return { bodies: new BodyBucket(options), archive: new BucketArchive(options) };
  };
  const parts = async (): Promise<Bucket> => await (loaded ??= load());
  return {
    bodies: {
      put: async (body) => (await parts()).bodies.put(body),
      get: async (key, subject) => (await parts()).bodies.get(key, subject),
    },
    archive: {
      put: async (key, text) => (await parts()).archive.put(key, text),
      get: async (key) => (await parts()).archive.get(key),
    },
  };
}
