const MAX_LENGTH_BYTES = 128;
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Under what name a write is kept: what the client calls itself, or else the first part of its user agent. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  let name = '';
  let length = 0;
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (!PRINTABLE.test(character)) continue;
    length += Buffer.byteLength(character);
    if (length > MAX_LENGTH_BYTES) break;
    name += character;
  }
  return name;
}
