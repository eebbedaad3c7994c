import type { OpenSimulation } from '../../lib/simulator/simulation.ts';

type Step = Awaited<ReturnType<OpenSimulation['step']>>;

/** Runs an open simulation to its end. *Shape:* how it ended. */
export async function playToEnd({ step }: Pick<OpenSimulation, 'step'>): Promise<NonNullable<Step>> {
  for (;;) {
    const ended = await step();
    if (ended !== undefined) return ended;
  }
}
