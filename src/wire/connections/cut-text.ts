/** The first `maxBytes` bytes, as text; the rest is not read. */
export async function cutText(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  return (await cutBytes(chunks, maxBytes)).toString();
}

/** The first `maxBytes` bytes; the rest is not read. */
export async function cutBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}
