/** Exit codes of every command. The shell uses 130 for a command that Ctrl-C ended. */
export const EXIT = { fine: 0, findings: 1, badInput: 2, failure: 3, interrupted: 130 } as const;
