/** Exit codes of every command. */
export const EXIT = { fine: 0, findings: 1, badInput: 2, failure: 3 } as const;
