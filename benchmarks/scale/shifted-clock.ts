/** Loaded before a function: its clock shows the time at which the fleet was recorded. `FLEET_CLOCK_MS` is what to add. */
const shiftMs = Number(process.env['FLEET_CLOCK_MS']);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: []) => (given.length === 0 ? new target(RealDate.now() + shiftMs) : new target(...given)),
  get: (target, key) => (key === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, key)),
});
