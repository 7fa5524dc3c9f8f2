/** How many whole events of a watch are in these bytes. */
export function countFrames(bytes: Buffer, contentType: string): number {
  return framesOf(bytes, contentType).length;
}

/** A watch's answer cut into its events: lines of JSON, documents of YAML, or messages behind their length. */
export function framesOf(bytes: Buffer, contentType: string): Buffer[] {
  if (contentType.includes('protobuf')) return lengthDelimited(bytes);
  const separator = contentType.includes('yaml') ? '---\n' : '\n';
  const frames: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(separator, start);
    if (end < 0) return frames;
    if (end > start) frames.push(bytes.subarray(start, end));
    start = end + separator.length;
  }
}

function lengthDelimited(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) break;
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}
