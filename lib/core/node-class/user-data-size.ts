/** What EC2 takes, before base64 (C75). */
export const LARGEST_USER_DATA_BYTES = 16 * 1024;

/** From 90 % on a warning is in place (C75). */
export const WARNING_USER_DATA_BYTES = Math.floor(LARGEST_USER_DATA_BYTES * 0.9);

/** *Units:* bytes of UTF-8, as EC2 counts them. */
export function userDataBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
