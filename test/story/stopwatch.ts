import { eventually } from '../aws/deployment.ts';

/** Waits until the condition holds, and prints the time: the figures of the story. *Errors:* as `eventually`. */
export async function seconds(what: string, done: () => Promise<boolean>, withinMs: number): Promise<void> {
  const startedMs = Date.now();
  await eventually(what, async () => ((await done()) ? true : undefined), withinMs);
  console.log(`${what}: ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
}
