const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The checksum of a kubelet's checkpoint: FNV-1a (32 bits) over the content as Go's spew package prints it with types.
 *
 * Example: the checksum of the text `abc` is over `(string)abc`.
 */
export function goChecksum(printed: string): number {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(printed)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}
