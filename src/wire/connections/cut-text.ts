/** What comes as text, at most so many bytes of it; the rest is not read. */
export async function cutText(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, Math.min(bytes, maxBytes));
}
