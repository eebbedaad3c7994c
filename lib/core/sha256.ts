/** SHA-256 in plain arithmetic: the core uses no module of Node.js. *Source:* FIPS 180-4. */

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** The fractional parts of the square roots of the first 8 primes. */
const INITIAL: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** The fractional parts of the cube roots of the first 64 primes. */
const ROUND: readonly number[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
];

/** The digest of a text in UTF-8. *Shape:* 32 bytes. *Cost:* O(text). */
export function sha256(text: string): Uint8Array {
  const message = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(INITIAL);
  for (let start = 0; start < message.byteLength; start += BLOCK_BYTES) addBlock(state, schedule(message, start));
  const digest = new DataView(new ArrayBuffer(state.byteLength));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/** The message, a 1 bit, 0 bits up to a whole block, and the length of the message in bits. */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.byteLength + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const message = new Uint8Array(blocks * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.byteLength] = 0x80;
  const view = new DataView(message.buffer);
  view.setBigUint64(message.byteLength - LENGTH_BYTES, BigInt(bytes.byteLength) * 8n);
  return view;
}

/** The 16 words of a block, extended to one word for each round. */
function schedule(message: DataView, start: number): Uint32Array {
  const words = new Uint32Array(ROUND.length);
  const at = (index: number): number => words[index] ?? 0;
  for (let index = 0; index < words.length; index += 1) {
    if (index < 16) {
      words[index] = message.getUint32(start + index * 4);
      continue;
    }
    const [early, late] = [at(index - 15), at(index - 2)];
    const small = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const large = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[index] = at(index - 16) + small + at(index - 7) + large;
  }
  return words;
}

function addBlock(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [index, word] of words.entries()) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + (ROUND[index] ?? 0) + word;
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
