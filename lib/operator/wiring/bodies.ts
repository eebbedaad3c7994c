import type { Bodies } from '../../providers/dynamodb/body-bucket.ts';

/** The payloads in a bucket. The S3 client is loaded with the first payload, because most functions never read or write one. */
export function bodiesIn(bucket: string, requestHandler: object): Bodies {
  let loaded: Promise<Bodies> | undefined;
  const load = async (): Promise<Bodies> => {
    const [{ S3Client }, { BodyBucket }] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('../../providers/dynamodb/body-bucket.ts'),
    ]);
    return new BodyBucket({ client: new S3Client({ requestHandler }), bucket });
  };
  const bodies = async (): Promise<Bodies> => await (loaded ??= load());
  return {
    put: async (body) => (await bodies()).put(body),
    get: async (key, subject) => (await bodies()).get(key, subject),
  };
}
