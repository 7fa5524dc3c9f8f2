/**
 * The name under which OpenAPI v2 documents share a parameter, or undefined when it stays where it is used: bodies of a
 * kind of their own, names (whose description has the kind), and two that old kubectl versions look for in place.
 *
 * Example: `pretty` becomes `pretty-tJGM1-ng`; the end is a hash of `text`, the parameter as JSON.
 */
export function sharedName(parameter: Readonly<Record<string, unknown>>, text: string): string | undefined {
  const name = parameter['name'];
  const schema = parameter['schema'] as { readonly $ref?: string } | undefined;
  if (parameter['in'] === 'body') {
    if (schema?.$ref?.startsWith('#/definitions/io.k8s.apimachinery') !== true) return undefined;
  } else if (name === 'name' || name === 'fieldValidation' || name === 'dryRun') {
    return undefined;
  }
  return `${String(name)}-${shortHash(text)}`;
}

/**
 * The first six bytes of the 64-bit FNV-1 hash, in the URL form of base64.
 *
 * The hash is kept in two halves of 32 bits, since JavaScript multiplies exactly only up to 2^53; the prime it is
 * multiplied with is 2^40 + 435.
 */
function shortHash(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    const product = low * 435;
    high = (high * 435 + Math.floor(product / 2 ** 32) + low * 2 ** 8) % 2 ** 32;
    low = ((product >>> 0) ^ byte) >>> 0;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(high, 0);
  bytes.writeUInt32BE(low, 4);
  return bytes.subarray(0, 6).toString('base64url');
}
