/** *Units:* milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}
