/** The limit of EC2, before base64 (C75). */
export const LARGEST_USER_DATA_BYTES = 16 * 1024;

/** The size from which a warning is shown (C75). */
export const WARNING_USER_DATA_BYTES = Math.floor(LARGEST_USER_DATA_BYTES * 0.9);

/** The size of user data as EC2 counts it. *Units:* bytes of UTF-8. */
export function userDataBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
