import { normalized } from '../../../src/resources/testing/normalized.ts';
import type { Case, Json } from './base-definition.ts';

/** What a server says of a case. */
export interface Answer {
  readonly name: string;
  readonly code: number;
  readonly warnings?: readonly string[];
  /** The Status, or the object, without what differs from run to run. */
  readonly body: Json;
  /** Upstream goes through maps in any order, so that causes come in any order, which this one does. */
  readonly isUnordered?: true;
}

interface Reply {
  readonly code: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

/** A server that can be asked, and whose store can be written to. */
export interface AskedServer {
  send(method: string, path: string, body?: Json): Promise<Reply>;
  /** Puts a definition into the store as it is, or removes it. */
  plant(name: string, definition: Json | undefined): Promise<void>;
}

const COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Sends what a case says, without changing anything for good. */
export async function askAbout({ name, definition, old }: Case, server: AskedServer): Promise<Answer> {
  if (old === undefined) return answer(name, await server.send('POST', `${COLLECTION}?dryRun=All`, definition));
  const key = old.metadata.name as string;
  await server.plant(key, old);
  try {
    const path = `${COLLECTION}/${key}`;
    for (;;) {
      const { body } = await server.send('GET', path);
      if (body.metadata?.resourceVersion === undefined) continue; // not yet seen
      const { resourceVersion } = body.metadata;
      const sent = { ...definition, metadata: { ...definition.metadata, resourceVersion } };
      const reply = await server.send('PUT', `${path}?dryRun=All`, sent);
      if (reply.code !== 409) return answer(name, reply); // the server's own controllers may have written
    }
  } finally {
    await server.plant(key, undefined);
  }
}

function answer(name: string, { code, body, warnings }: Reply): Answer {
  const text = JSON.stringify(normalized(body, '')).replaceAll(/selfType\d+/g, 'selfType');
  const { status, ...others } = JSON.parse(text) as Json;
  const isRefused = others.kind === 'Status';
  const kept = isRefused ? { status, ...others } : { ...others, status: { storedVersions: status?.storedVersions } };
  return { name, code, ...(warnings.length === 0 ? {} : { warnings }), body: kept };
}

/** The same without the order of causes. */
export function unordered({ body, ...others }: Answer): Answer {
  const { message: _message, details, ...status } = body;
  const causes = (details?.causes ?? []).map((cause: Json) => JSON.stringify(cause)).sort();
  const warnings = others.warnings === undefined ? {} : { warnings: others.warnings.toSorted() };
  return { ...others, ...warnings, body: { ...status, details: { ...details, causes } }, isUnordered: true };
}
