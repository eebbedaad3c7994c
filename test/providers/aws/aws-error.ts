/** An error as the SDK throws it: the service's code is its name. */
export function awsError(name: string, httpStatusCode?: number): Error {
  const metadata = httpStatusCode === undefined ? {} : { $metadata: { httpStatusCode } };
  return Object.assign(new Error(`${name}, scripted`), { name, ...metadata });
}
