/** The module with the values of its constants as keys: `{ "Min": 1 }` for `{ [_M]: 1 }`. A key that is not a constant of the module stays. */
export function withLiteralKeys(module: string): string {
  const constants = new Map(
    [...module.matchAll(/^const (\w+) = ("(?:[^"\\]|\\.)*");$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  return module.replaceAll(/\[(\w+)\]:/g, (key, name: string) => {
    const value = constants.get(name);
    return value === undefined ? key : `${value}:`;
  });
}
