import { vi } from 'vitest';

/** *Shape:* what the process wrote to its output while `work` was done. */
export async function heard(work: () => Promise<void> | void): Promise<string> {
  let lines = '';
  const hear = (chunk: unknown): boolean => {
    lines += String(chunk);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(hear));
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines;
}
