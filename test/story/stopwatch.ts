import { eventually } from '../aws/deployment.ts';

/** Waits until it is done, and says how long that took: the story's figures. *Errors:* as `eventually`. */
export async function seconds(what: string, done: () => Promise<boolean>, withinMs: number): Promise<void> {
  const startedMs = Date.now();
  await eventually(what, async () => ((await done()) ? true : undefined), withinMs);
  console.log(`${what}: ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
}
