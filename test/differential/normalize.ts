import type { Extent } from './case.ts';
import type { Answer, Played } from './play-case.ts';
import { describedByOpenApi, namesIn } from './extents.ts';
import { Placeholders } from './placeholders.ts';

/** An answer without what differs from run to run: the form that is recorded and compared. */
export interface NormalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly form?: string;
  readonly body?: unknown;
}

/** Headers that name flow schemas and levels: left out unless a case asks for them. */
const FLOW = new Set(['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid']);

/** Headers that say nothing about the API, or that a case may ask for. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', ...FLOW]);

/** Headers whose value is chance, so that only their presence counts. */
const ONLY_PRESENCE = new Set(['audit-id', 'etag', 'last-modified', 'expires', 'process-start-time-unix']);

/** The compared answers of a played case, in order; those of setup steps are undefined. */
export function normalize(played: Played): (NormalAnswer | undefined)[] {
  const placeholders = new Placeholders(played);
  return played.answers.map((answer) => (answer.step.isSetup ? undefined : normalAnswer(answer, placeholders)));
}

function normalAnswer({ step, reply, body }: Answer, placeholders: Placeholders): NormalAnswer {
  const headers: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(reply.headers).sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (LEFT_OUT.has(name) && !step.moreHeaders.includes(name)) continue;
    const isChance = !FLOW.has(name) && (ONLY_PRESENCE.has(name) || LEFT_OUT.has(name));
    const listed = name === 'vary' ? values.flatMap((value) => value.split(', ')) : values; // one header or several
    headers[name] = isChance ? ['<present>'] : listed.map((value) => placeholders.inText(value));
  }
  const head = { status: reply.status, headers };
  if (step.extent === 'head') return head;
  const value = reduced(body.value, reply.status < 300 ? step.extent : 'all');
  return { ...head, form: body.form, body: placeholders.inValue(value) };
}

function reduced(value: unknown, extent: Extent): unknown {
  switch (extent) {
    case 'openapi':
      return describedByOpenApi(value);
    case 'names':
      return namesIn(value);
    case 'all':
    case 'head':
      return value;
  }
}
